// Compiles cells and runs them: each is a Roslyn script submission that sees those before it.
//
// What is ours beyond Microsoft.CodeAnalysis.CSharp.Scripting: a cell that declares nothing is
// compiled into a collectible context and leaves no trace, so that a session's memory does not grow
// with the number of cells run; namespaces and extension classes, which scripts can't declare, are
// compiled as a library that the script refers to.

using System.Collections.Immutable;
using System.IO.MemoryMappedFiles;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Scripting;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Scripting;
using Microsoft.CodeAnalysis.Text;

namespace Benchbook;

public sealed class Submissions
{
    static readonly string[] Imports =
    [
        "System", "System.IO", "System.Linq", "System.Text", "System.Collections", "System.Collections.Generic",
        "System.Net.Http", "System.Threading", "System.Threading.Tasks", "Microsoft.DotNet.Interactive",
        "Microsoft.DotNet.Interactive.Formatting",
    ];

    static readonly string[] StaticImports =
    [
        "Benchbook.Notebook", "Microsoft.DotNet.Interactive.Formatting.PocketViewTags",
    ];

    /// <summary>.NET 10's C#. What is newer makes a keyword of union, which cells use as a name.</summary>
    const LanguageVersion Language = LanguageVersion.CSharp14;

    internal static readonly CSharpParseOptions Parsing = CSharpParseOptions.Default.WithLanguageVersion(Language);

    static readonly EmitOptions Portable = new(debugInformationFormat: DebugInformationFormat.PortablePdb);

    readonly Settings settings;
    readonly Packages packages;
    readonly CellContext context;
    readonly Lock gate = new();
    readonly List<MetadataReference> references = [.. Framework()];
    readonly HashSet<MetadataReference> inherited = []; // those of `last`: a script has all that the one before it has
    readonly List<Library> libraries = [];
    readonly HashSet<string> usings = [], captured = [];
    Script<object> last; // the newest cell that declared something
    object?[] states = new object?[16];
    int count, libraryCount;
    bool inProcess; // has a cell told BenchmarkDotNet to stay in this process?

    public Submissions(Settings settings)
    {
        this.settings = settings;
        packages = new Packages(settings);
        context = new CellContext("cells", null, packages, isCollectible: false);
        // Without one before it, each script would read .NET's core library anew, which is 13 MB.
        last = CSharpScript.Create<object>("", Options(""));
        inherited.UnionWith(References());
    }

    public ScriptOptions Options(string path) => ScriptOptions.Default
        .WithReferences(NewReferences())
        .WithImports([.. Imports, .. StaticImports])
        .WithFilePath(path)
        .WithFileEncoding(Encoding.UTF8)
        .WithEmitDebugInformation(true)
        .WithOptimizationLevel(OptimizationLevel.Release)
        .WithLanguageVersion(Language)
        .WithAllowUnsafe(true)
        .WithSourceResolver(new SourceFileResolver([], settings.Directory))
        .WithMetadataResolver(ScriptMetadataResolver.Default.WithBaseDirectory(settings.Directory));

    IEnumerable<MetadataReference> References()
    {
        lock (gate) return [.. references, .. libraries.Select(library => library.Reference)];
    }

    /// <summary>
    /// What a cell is to refer to beyond what those before it do. Were it all, Roslyn would keep it once for each
    /// cell before, and again in the next cell: 400 MB after 200 cells that declare something.
    /// </summary>
    IEnumerable<MetadataReference> NewReferences()
    {
        lock (gate) return [.. References().Except(inherited)];
    }

    /// <summary>The variables of cells; one that was declared again is its newest.</summary>
    public IEnumerable<(string Name, Type Type, object? Value)> Variables =>
        from state in states[..(count + 1)].Reverse().OfType<object>()
        from member in state.GetType().GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).Reverse()
        where !member.Name.StartsWith('<')
        group (member, state) by member.Name into same
        let newest = same.First()
        select (same.Key, newest.member.FieldType, newest.member.GetValue(newest.state));

    /// <summary>A compilation of code in the place of the next cell, to ask about it.</summary>
    public Compilation Ask(string code) => Next(Locals.WithoutUsings(code), Options("")).GetCompilation();

    Script<object> Next(string code, ScriptOptions options) => last.ContinueWith<object>(code, options);

    /// <summary>Compiles and runs something, so that the reader's first cell finds all in place.</summary>
    public void WarmUp()
    {
        try
        {
            _ = Notebook.Bundle(Start("""var warm = new[] { 1 }.Select(x => $"{x}"); warm.ToList()""", "warm-up", default, keep: false).Result!);
        }
        catch (Exception)
        {
            // the reader's first cell will tell
        }
    }

    /// <summary>
    /// Compiles a cell and starts it; the task ends with the value of its last expression, or null.
    /// </summary>
    /// <exception cref="CompilationFailed">It can't be compiled.</exception>
    /// <exception cref="PackageFailed">A package can't be had.</exception>
    /// <exception cref="BenchmarkRefused">It starts BenchmarkDotNet.</exception>
    public Task<object?> Start(string code, string name, CancellationToken interrupted, bool keep = true)
    {
        inProcess |= code.Contains("InProcess");
        var whole = Locals.WithDisposal(Restore(code, name, interrupted));
        var (library, script) = Parts.Split(whole, name);
        if (library is not null)
        {
            if (AddLibrary(library, name) is { } errors)
            {
                // what a script can't hold either, or uses what cells declared: then as it is written
                if (library.Required) throw new CompilationFailed(errors, name, code);
                script = whole;
            }
        }
        try
        {
            return Run(script, code, name, keep, interrupted);
        }
        catch (CompilationFailed failed)
        {
            var (enclosed, left) = Locals.Enclose(script, failed.Diagnostics, text => (CSharpCompilation)Next(text, Options(name)).GetCompilation());
            return enclosed is null ? throw new CompilationFailed(left, name, code) : Run(enclosed, code, name, keep, interrupted);
        }
    }

    Task<object?> Run(string script, string code, string name, bool keep, CancellationToken interrupted)
    {
        var next = Next(script, Options(name));
        var compilation = (CSharpCompilation)next.GetCompilation();
        using MemoryStream assembly = new(), symbols = new();
        var uses = compilation.SyntaxTrees.SelectMany(Loops.Captured).ToHashSet();
        var tree = compilation.SyntaxTrees.Last();
        var root = tree.GetCompilationUnitRoot(interrupted);
        var model = compilation.GetSemanticModel(tree);
        // a loop's own end comes before the end of the function into which it is moved
        var insertions = Stop.Looks(root, model).Concat(Loops.Move(root, model, captured, uses)).ToList();
        if (insertions.Count > 0)
        {
            var moved = Next(Stop.Insert(root.ToFullString(), insertions), Options(name));
            var other = (CSharpCompilation)moved.GetCompilation();
            if (!other.GetDiagnostics(interrupted).Any(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error)) (next, compilation) = (moved, other);
        }
        var emitted = compilation.Emit(assembly, symbols, options: Portable, cancellationToken: interrupted);
        foreach (var file in compilation.DirectiveReferences.OfType<PortableExecutableReference>())
        {
            if (file.FilePath is { } path) context.AddFile(path); // #r "file.dll"
        }
        var declares = keep && Declares(compilation);
        if (keep && emitted.Success) Warn(emitted.Diagnostics, name);
        if (!emitted.Success)
        {
            var failed = new CompilationFailed(compilation.GetDiagnostics(interrupted).Union(emitted.Diagnostics), name, code);
            if (failed.Diagnostics.Count > 0) throw failed;
            if (declares) Keep(next, compilation); // only usings: there is nothing to run
            return Task.FromResult<object?>(null);
        }
        if (!inProcess) Benchmarks.Refuse(compilation);
        // A collectible context for what nobody can refer to later.
        var into = declares ? context : new CellContext(name, context, packages, isCollectible: true);
        var entry = compilation.GetEntryPoint(interrupted)!;
        assembly.Position = symbols.Position = 0;
        var loaded = into.Load(assembly, symbols, name);
        var factory = loaded.GetType(entry.ContainingType.MetadataName, throwOnError: true)!
            .GetMethod(entry.MetadataName, BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)!
            .CreateDelegate<Func<object?[], Task<object?>>>();
        if (count + 2 > states.Length) Array.Resize(ref states, 2 * states.Length);
        if (declares)
        {
            context.Add(loaded);
            Keep(next, compilation);
            count++;
        }
        if (keep) captured.UnionWith(uses); // also by a cell that declares nothing: what it started may go on
        return factory(states);
    }

    /// <summary>Tells of what the compiler warns of in a cell, in one block.</summary>
    static void Warn(IEnumerable<Diagnostic> diagnostics, string name)
    {
        if (Errors.Warnings(diagnostics, name) is { Length: > 0 } text) Console.Error.WriteLine(text);
    }

    void Keep(Script<object> script, CSharpCompilation compilation)
    {
        foreach (var directive in Usings(compilation)) usings.Add(directive);
        lock (gate)
        {
            inherited.UnionWith(References());
            last = script;
        }
    }

    /// <summary>Does a cell leave anything that a later one can refer to?</summary>
    static bool Declares(CSharpCompilation compilation)
    {
        if (compilation.DirectiveReferences.Any() || Usings(compilation).Any()) return true;
        return compilation.ScriptClass!.GetMembers().Any(member => !member.IsImplicitlyDeclared);
    }

    static IEnumerable<string> Usings(CSharpCompilation compilation) =>
        from tree in compilation.SyntaxTrees
        from directive in tree.GetCompilationUnitRoot().Usings
        select Parts.Text(directive);

    /// <summary>Fetches the packages that a cell names, and blanks those lines.</summary>
    string Restore(string code, string name, CancellationToken interrupted)
    {
        var (rest, wanted) = Packages.Directives(code);
        if (wanted.Count == 0) return code;
        var (found, notes) = packages.Add(wanted, interrupted);
        foreach (var note in notes) Console.Error.WriteLine(note);
        lock (gate)
        {
            var have = references.Select(reference => reference.Display).ToHashSet();
            references.AddRange(found.Where(path => !have.Contains(path)).Select(Mapped));
        }
        return rest;
    }

    /// <summary>
    /// Compiles what a cell declares as a library. Where it declares types anew, the library takes the
    /// place of those that had them, and keeps the other types that these had.
    ///
    /// A submission refers to all that those before it refer to. To take a library's place is to have
    /// its name and a higher version: of two versions, Roslyn takes the higher one for a submission.
    /// </summary>
    ImmutableArray<Diagnostic>? AddLibrary(LibraryPart part, string name)
    {
        var types = Parts.Types(part.Tree).Select(type => type.Name).ToHashSet();
        var replaced = libraries.Where(library => library.Types.Overlaps(types)).ToList();
        var (own, version) = replaced is [var first, ..] ? (first.Name, first.Version + 1) : ($"cell-library-{++libraryCount}", 1);
        List<string> given =
        [
            .. Imports.Select(import => $"using {import};"), .. StaticImports.Select(import => $"using static {import};"),
            .. usings.Where(directive => !part.Usings.Contains(directive)),
        ];
        var globals = string.Concat(given.Select(directive => $"global {directive}"));
        var others = References().Except(replaced.Select(library => library.Reference)).ToList();
        CSharpCompilation Compile(IEnumerable<SyntaxTree> trees) => Library.Compilation(own, version, globals, trees, others);

        List<SyntaxTree> trees =
        [
            part.Tree, .. replaced.SelectMany(library => library.Trees).Select(tree => Parts.Without(tree, types, given)).OfType<SyntaxTree>(),
        ];
        var compilation = Compile(trees);
        if (trees.Count > 1 && compilation.GetDiagnostics().Any(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error))
        {
            trees = [part.Tree]; // the others do not go with what the cell declares now
            compilation = Compile(trees);
        }
        using MemoryStream assembly = new(), symbols = new();
        var stopping = compilation;
        foreach (var tree in trees)
        {
            var text = Stop.Insert(tree.ToString(), Stop.Looks(tree.GetRoot(), compilation.GetSemanticModel(tree)));
            stopping = stopping.ReplaceSyntaxTree(tree, Parts.Published(text, tree.FilePath));
        }
        var emitted = stopping.Emit(assembly, symbols, options: Portable);
        if (!emitted.Success)
        {
            assembly.SetLength(0);
            symbols.SetLength(0);
            emitted = compilation.Emit(assembly, symbols, options: Portable);
            if (!emitted.Success) return emitted.Diagnostics; // at the cell's own columns
        }
        if (!inProcess) Benchmarks.Refuse(compilation);
        Warn(emitted.Diagnostics, name);
        assembly.Position = symbols.Position = 0;
        // in a context of its own: none takes two versions of one assembly
        context.Add(new CellContext(name, context, packages, isCollectible: false).Load(assembly, symbols, name));
        var all = trees.SelectMany(Parts.Types).Select(type => type.Name).ToHashSet();
        lock (gate)
        {
            libraries.RemoveAll(replaced.Contains);
            libraries.Add(new Library(own, version, MetadataReference.CreateFromImage(assembly.ToArray()), all, trees));
            libraries.AddRange(replaced.Skip(1).Select(library => library.Emptied(references)));
        }
        return null;
    }

    /// <summary>The assemblies of .NET and ASP.NET, and this one for display and its like.</summary>
    static IEnumerable<MetadataReference> Framework()
    {
        var own = Path.GetDirectoryName(typeof(Submissions).Assembly.Location)!;
        var all = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);
        return all.Where(path => Path.GetDirectoryName(path) != own)
            .Select(Mapped)
            .Append(Own());
    }

    /// <summary>
    /// This assembly, as cells see it: what it refers to of Roslyn has a name that nothing has. Otherwise a package that brings
    /// a Roslyn of its own would be bound to it, and so make another assembly of it than the one that cells before referred to.
    /// </summary>
    static MetadataReference Own()
    {
        var path = typeof(Submissions).Assembly.Location;
        var image = File.ReadAllBytes(path);
        using var file = new PEReader([.. image]);
        var reader = file.GetMetadataReader();
        var row = file.PEHeaders.MetadataStartOffset + reader.GetTableMetadataOffset(TableIndex.AssemblyRef);
        var column = 12 + (reader.GetHeapSize(HeapIndex.Blob) > ushort.MaxValue ? 4 : 2); // of the name: its place in the heap of strings
        foreach (var handle in reader.AssemblyReferences)
        {
            var name = reader.GetString(reader.GetAssemblyReference(handle).Name);
            // "icrosoft.CodeAnalysis"
            if (name.StartsWith("Microsoft.CodeAnalysis") && ++image[row + column] == 0) image[row + column + 1]++;
            row += reader.GetTableRowSize(TableIndex.AssemblyRef);
        }
        return MetadataReference.CreateFromImage(image, filePath: path);
    }

    /// <summary>
    /// A reference to an assembly whose file is mapped into memory: what the compiler looks at is loaded,
    /// as it looks. MetadataReference.CreateFromFile reads the whole file, which for all of .NET is 100 MB.
    /// </summary>
    static unsafe MetadataReference Mapped(string path)
    {
        using var file = MemoryMappedFile.CreateFromFile(path, FileMode.Open, null, 0, MemoryMappedFileAccess.Read);
        var view = file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        var metadata = new PEReader(start, checked((int)new FileInfo(path).Length)).GetMetadata();
        var module = ModuleMetadata.CreateFromMetadata((nint)metadata.Pointer, metadata.Length, view.Dispose);
        return AssemblyMetadata.Create(module).GetReference(filePath: path);
    }
}

/// <summary>A library made of cells' namespaces and extension classes, the types in it, and its sources.</summary>
sealed record Library(string Name, int Version, MetadataReference Reference, HashSet<string> Types, IReadOnlyList<SyntaxTree> Trees)
{
    // Roslyn tells versions apart in references to assemblies that have a public key; this is ECMA's,
    // with which nothing needs to be signed. So a library that uses another goes on with the version
    // with which it was compiled.
    static readonly ImmutableArray<byte> PublicKey = [0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];

    public static CSharpCompilation Compilation(
        string name, int version, string globals, IEnumerable<SyntaxTree> trees, IEnumerable<MetadataReference> references) =>
        CSharpCompilation.Create(
            name,
            [.. trees, CSharpSyntaxTree.ParseText($"{globals}[assembly: System.Reflection.AssemblyVersion(\"1.0.0.{version}\")]", Submissions.Parsing, encoding: Encoding.UTF8)],
            references,
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary, optimizationLevel: OptimizationLevel.Release, allowUnsafe: true,
                cryptoPublicKey: PublicKey, publicSign: true));

    /// <summary>What takes the place of a library whose types are in another one now.</summary>
    public Library Emptied(IEnumerable<MetadataReference> references)
    {
        using MemoryStream assembly = new();
        Compilation(Name, Version + 1, "", [], references).Emit(assembly);
        return new Library(Name, Version + 1, MetadataReference.CreateFromImage(assembly.ToArray()), [], []);
    }
}

/// <summary>Loads cells' assemblies, each other's, those of packages, and files that cells refer to.</summary>
sealed class CellContext(string name, CellContext? parent, Packages packages, bool isCollectible)
    : AssemblyLoadContext(name, isCollectible)
{
    static readonly ConditionalWeakTable<Assembly, string> Cells = [];
    readonly Dictionary<string, Assembly> loaded = [];
    readonly Dictionary<string, string> files = [];

    static readonly HashSet<string> Platform =
        [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Select(path => Path.GetFileNameWithoutExtension(path))];

    /// <summary>The cell of which an assembly was made, null where it was made of none.</summary>
    public static string? CellOf(Assembly assembly) => Cells.TryGetValue(assembly, out var cell) ? cell : null;

    /// <summary>Loads what a cell was compiled into.</summary>
    public Assembly Load(Stream assembly, Stream symbols, string cell)
    {
        var made = LoadFromStream(assembly, symbols);
        Cells.Add(made, cell);
        return made;
    }

    public void AddFile(string path)
    {
        lock (loaded) files[Path.GetFileNameWithoutExtension(path)] = path;
    }

    public void Add(Assembly assembly)
    {
        lock (loaded) loaded[assembly.GetName().FullName] = assembly;
    }

    protected override Assembly? Load(AssemblyName wanted)
    {
        if (parent is not null) return parent.Load(wanted);
        lock (loaded)
        {
            if (loaded.TryGetValue(wanted.FullName, out var assembly)) return assembly;
            if (files.TryGetValue(wanted.Name!, out var file)) return LoadFromAssemblyPath(file);
        }
        return (packages.Find(wanted.Name!) ?? Beside(wanted.Name!)) is { } path ? LoadFromAssemblyPath(path) : null;
    }

    /// <summary>The file of that name beside one that a cell refers to; .NET's own come first.</summary>
    string? Beside(string name)
    {
        if (Platform.Contains(name)) return null;
        lock (loaded)
        {
            return files.Values.Select(file => Path.Combine(Path.GetDirectoryName(file)!, name + ".dll")).FirstOrDefault(File.Exists);
        }
    }

    protected override nint LoadUnmanagedDll(string wanted) =>
        packages.FindNative(wanted) is { } path ? LoadUnmanagedDllFromPath(path) : 0;
}

/// <summary>A cell that can't be compiled, with the text that its reader wrote.</summary>
public sealed class CompilationFailed(IEnumerable<Diagnostic> diagnostics, string cell, string code) : Exception
{
    public IReadOnlyList<Diagnostic> Diagnostics { get; } =
        [.. diagnostics.Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error).OrderBy(diagnostic => diagnostic.Location.SourceSpan.Start)];

    /// <summary>A line of the text in which an error is, of a cell as it was written; null where there is none.</summary>
    public string? Line(Location place, int number)
    {
        if (place.SourceTree is not { } tree) return null;
        var lines = (tree.FilePath == cell ? SourceText.From(code) : tree.GetText()).Lines;
        return number < lines.Count ? lines[number].ToString() : null;
    }
}
