# A static binary in an empty root: no shell, no package manager, one volume.
# The digest decides, the tag only says which it is: the image index of the tag, for every platform.
FROM golang:1.26.8@sha256:3c3e25a4da13fd0478eed2df1eb35a0e667094a7124d3993a6a1d30f71c17e79 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
ARG COMMIT=
ARG PACKAGE=github.com/pubsync/pubsync/cmd
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X ${PACKAGE}.version=${VERSION} -X ${PACKAGE}.commit=${COMMIT}" -o /out/pubsync ./cmd/pubsync \
 && mkdir -p /out/data /out/tmp && chown -R 65532:65532 /out/data /out/tmp && chmod 1777 /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/go/lib/time/zoneinfo.zip /zoneinfo.zip
COPY --from=build /out/pubsync /pubsync
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV PUBSYNC_STORE_PATH=/data/pubsync.db PUBSYNC_CATALOG_DIR=/data/catalog ZONEINFO=/zoneinfo.zip
EXPOSE 8080 9464
ENTRYPOINT ["/pubsync"]
CMD ["run"]
