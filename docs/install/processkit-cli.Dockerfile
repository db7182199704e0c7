# The whole suite, one binary and a link for each tool. The build context is the
# project's root:
#
#   docker build -f docs/install/processkit-cli.Dockerfile -t processkit-cli .
#
# The tag of the Go image is a version, not a digest; pin the digest that you
# have checked where that matters.
FROM --platform=$BUILDPLATFORM golang:1.26.8 AS build
ARG TARGETOS TARGETARCH VERSION=0.1.0
WORKDIR /src
COPY . .
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH make build VERSION=$VERSION TOOLS= && \
	mkdir -p /image/usr/bin /image/usr/share/doc/processkit-cli /owned/work /owned/runs /owned/tmp && \
	cp bin/processkit-cli /image/usr/bin/ && \
	cp LICENSE /image/usr/share/doc/processkit-cli/ && \
	for main in pkc-*/main.go; do ln -s processkit-cli "/image/usr/bin/${main%/main.go}"; done

# Streams go to /work, records of runs to /runs, control sockets below /tmp: all
# belong to the one user, who is not root.
FROM scratch
COPY --from=build /image /
COPY --from=build --chown=65532:65532 /owned /
ENV PATH=/usr/bin PROCESSKIT_CLI_REGISTRY_DIR=/runs
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/bin/processkit-cli"]
