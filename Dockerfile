# Compiles the program, lays out a root file system with it and what it loads, and ships only that: no
# shell, no package manager. Needs nothing but Debian 12's packages: docker build, podman build and
# buildah bud all take it. For another architecture (--platform linux/arm64) it is built across, with
# nothing emulated.
FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS build
WORKDIR /src
ARG TARGETARCH
COPY scripts/setup scripts/setup
RUN scripts/setup compile $TARGETARCH && rm -rf /var/lib/apt/lists/*
COPY . .
# Compilers that run at once; by default one per core.
ARG JOBS=
ENV CCACHE_DIR=/ccache
RUN --mount=type=cache,target=/ccache \
    preset=release && native=$(dpkg --print-architecture) \
 && if [ "${TARGETARCH:-$native}" != "$native" ]; then preset=release-$TARGETARCH; fi \
 && cmake --preset $preset -DSCALEDCACHE_TESTS=OFF \
 && cmake --build --preset $preset --target scaledcache --parallel ${JOBS:-$(nproc)} \
 && cmake --install build/$preset --prefix /install --strip
# What is in the program and not beside it, for the list of materials.
RUN dpkg-query --show --showformat='${Package} ${Version} ${Architecture} ${source:Package}\n' \
    libboost1.74-dev libboost-program-options1.74-dev libhowardhinnant-date-dev libspdlog-dev nlohmann-json3-dev \
    > /install/share/scaledcache/compiled-in

FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS root
ARG TARGETARCH
COPY scripts/setup /tmp/
RUN /tmp/setup runtime $TARGETARCH && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY scripts/image-root /tmp/
COPY --from=build /install/ /image/usr/local/
RUN /tmp/image-root /image

FROM scratch
COPY --from=root /image/ /
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
