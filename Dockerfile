# One image for workshop laptops and for JupyterHub. Jupyter's own image, which it is made from,
# starts JupyterLab, or what a hub asks for, as a user without root:
#   docker build -t benchbook .
#   docker run --rm -p 127.0.0.1:8888:8888 benchbook
FROM quay.io/jupyter/base-notebook:python-3.13

USER root
COPY binder/apt.txt /tmp/
RUN apt-get update -q && \
    grep -v '^#' /tmp/apt.txt | xargs apt-get install -q -y --no-install-recommends && \
    rm -rf /var/lib/apt/lists/* /tmp/apt.txt
# not in the home folder, where a hub puts the user's own
RUN install -d -o "${NB_UID}" -g "${NB_GID}" /opt/benchbook

USER ${NB_UID}
WORKDIR /opt/benchbook
COPY environment.yml ./
RUN mamba env update --prefix "${CONDA_DIR}" --file environment.yml && \
    mamba clean --all -f -y
COPY --chown=${NB_UID}:${NB_GID} . .
RUN CONDA_PREFIX="${CONDA_DIR}" ./bench setup --route conda
