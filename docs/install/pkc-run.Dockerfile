# pkc-run and nothing else: to copy from, or to build images of one static
# program upon. The build context is the project's root:
#
#   docker build -f docs/install/pkc-run.Dockerfile -t pkc-run .
#
# The tag of the Go image is a version, not a digest; pin the digest that you
# have checked where that matters.
FROM --platform=$BUILDPLATFORM golang:1.26.8 AS build
ARG TARGETOS TARGETARCH VERSION=0.1.0
WORKDIR /src
COPY . .
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH make build VERSION=$VERSION TOOLS=pkc-run

FROM scratch
COPY --from=build /src/bin/pkc-run /src/LICENSE /
USER 65532:65532
ENTRYPOINT ["/pkc-run"]
