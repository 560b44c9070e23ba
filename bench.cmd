@echo off
rem Benchbook's launcher for Windows. It takes the first Python that is new enough: the active conda
rem environment's, that of one named benchbook, or any; set-up then finds or makes the right one.
setlocal
rem commands that are compared find what they find without us
set "BENCHBOOK_OUTER_PATH=%PATH%"
set "BENCHBOOK_OUTER_PYTHONPATH=%PYTHONPATH%"
set "BENCHBOOK_OUTER_PYTHONHOME=%PYTHONHOME%"
set "PYTHONHOME="
rem a benchbook.py there would be taken for ours
set "PYTHONPATH="
set "PYTHONNOUSERSITE=1"
set "JUPYTER_PREFER_ENV_PATH=1"
set "PYTHONUTF8=1"
set "BENCH_PYTHON="
if defined BENCHBOOK_PYTHON call :try "%BENCHBOOK_PYTHON%"
if defined CONDA_PREFIX call :try "%CONDA_PREFIX%\python.exe"
for %%D in (
  "%MAMBA_ROOT_PREFIX%" "%USERPROFILE%\miniforge3" "%USERPROFILE%\mambaforge" "%USERPROFILE%\miniconda3"
  "%USERPROFILE%\anaconda3" "%USERPROFILE%\micromamba" "%LOCALAPPDATA%\miniforge3"
  "%LOCALAPPDATA%\miniconda3" "%ProgramData%\miniforge3" "%ProgramData%\miniconda3"
) do if exist "%%~D\envs\benchbook\python.exe" call :try "%%~D\envs\benchbook\python.exe"
for /f "delims=" %%P in ('where python 2^>nul') do call :try "%%P"
rem python.org's installer puts py on PATH, and python only where it is asked to
for /f "delims=" %%P in ('py -3 -c "import sys; print(sys.executable)" 2^>nul') do call :try "%%P"
if defined BENCH_PYTHON goto run
echo bench: no Python 3.11 or newer is on PATH, and no conda environment is named benchbook. Make one with 1>&2
echo   conda env create -f "%~dp0environment.yml" 1>&2
echo   conda activate benchbook 1>&2
exit /b 1

:run
"%BENCH_PYTHON%" -P "%~dp0src\benchbook\setup\bootstrap.py" --launch %*
exit /b %ERRORLEVEL%

:try
rem neither an older one nor the Microsoft Store's alias, which only says where to get one
if defined BENCH_PYTHON exit /b 0
call "%~1" -c "import sys; sys.exit(sys.version_info < (3, 11))" >nul 2>nul && set "BENCH_PYTHON=%~1"
exit /b 0
