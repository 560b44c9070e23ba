@echo off
rem Benchbook's launcher for Windows: uses the active conda environment, or one named benchbook.
setlocal
set "PYTHONHOME="
set "PYTHONNOUSERSITE=1"
set "PYTHONUTF8=1"
set "BENCH_PYTHON="
if defined CONDA_PREFIX if exist "%CONDA_PREFIX%\python.exe" set "BENCH_PYTHON=%CONDA_PREFIX%\python.exe"
if defined BENCHBOOK_PYTHON set "BENCH_PYTHON=%BENCHBOOK_PYTHON%"
if not defined BENCH_PYTHON for %%D in (
  "%USERPROFILE%\miniforge3" "%USERPROFILE%\mambaforge" "%USERPROFILE%\miniconda3" "%USERPROFILE%\anaconda3"
  "%LOCALAPPDATA%\miniforge3" "%LOCALAPPDATA%\miniconda3" "%ProgramData%\miniforge3" "%ProgramData%\miniconda3"
) do if not defined BENCH_PYTHON if exist "%%~D\envs\benchbook\python.exe" set "BENCH_PYTHON=%%~D\envs\benchbook\python.exe"
if not defined BENCH_PYTHON (
  for /f "delims=" %%P in ('where python 2^>nul') do if not defined BENCH_PYTHON (
    rem neither an older one nor the Microsoft Store's alias, which only says where to get one
    "%%P" -c "import sys; sys.exit(sys.version_info < (3, 11))" >nul 2>nul && set "BENCH_PYTHON=%%P"
  )
)
if not defined BENCH_PYTHON (
  echo bench: no Python 3.11 or newer is on PATH, and no conda environment is named benchbook. Make one with 1>&2
  echo   conda env create -f "%~dp0environment.yml" 1>&2
  echo   conda activate benchbook 1>&2
  exit /b 1
)
"%BENCH_PYTHON%" -P "%~dp0src\benchbook\setup\bootstrap.py" --launch %*
exit /b %ERRORLEVEL%
