"""The languages of the notebooks: each has a session, a host and a kernel."""

from benchbook_kernels.install import kernelspecs, languages
from benchbook_kernels.notebook.open_sessions import session_class


def test_each_language_is_called_by_its_name_and_has_a_session_of_its_own():
    for name, language in languages.declared().items():
        assert language.name == name and language.kernel == f"benchbook-{name}"
        assert session_class(name).language is language
        assert kernelspecs.KERNELS[language.kernel] is language
        assert language.info["file_extension"] == language.suffixes[0]


def test_the_languages_of_today():
    assert list(languages.declared()) == ["csharp", "node"]
