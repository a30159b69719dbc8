# cubespace on a CPU, with the planners:  docker build -t cubespace .
#   docker run --rm -v "$PWD/runs:/work/runs" cubespace run --domain mnist
# A smaller image, without CUDA libraries: give pip the page of PyTorch's CPU wheels, --build-arg WHEELS=URL (see docs/install.md)
FROM python:3.12-slim

ARG WHEELS=""
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY core core
COPY plugins plugins
RUN pip install --no-cache-dir --constraint constraints.txt ${WHEELS:+--extra-index-url "$WHEELS"} .

RUN useradd --create-home cube && mkdir -p /work/runs && chown -R cube /work
USER cube
WORKDIR /work
ENV OMP_NUM_THREADS=1
RUN cube info
ENTRYPOINT ["cube"]
CMD ["--help"]
