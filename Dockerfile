# Build stage, then a runtime stage with the program and the libraries it loads. Needs nothing but
# Debian 12's packages: docker build, podman build and buildah bud all take it.
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY scripts/setup scripts/setup
RUN scripts/setup compile && rm -rf /var/lib/apt/lists/*
COPY . .
# Compilers that run at once; by default one per core.
ARG JOBS=
ENV CCACHE_DIR=/ccache
RUN --mount=type=cache,target=/ccache \
    cmake --preset release -DSCALEDCACHE_TESTS=OFF \
 && cmake --build --preset release --target scaledcache --parallel ${JOBS:-$(nproc)} \
 && cmake --install build/release --prefix /install --strip

FROM debian:bookworm-slim
COPY scripts/setup /tmp/setup
RUN /tmp/setup runtime && rm -rf /tmp/setup /var/lib/apt/lists/* /var/cache/apt/*
COPY --from=build /install/ /usr/local/
# libcurl brings GnuTLS for a protocol that is not used here; its start-up would cost half a megabyte.
ENV GNUTLS_NO_IMPLICIT_INIT=1
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="ScaledCache" \
      org.opencontainers.image.description="Scales fleets of caches by their request rate" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# Runs without a home, without a shell and on a read-only root file system.
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/scaledcache"]
