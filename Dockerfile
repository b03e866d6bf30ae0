# The collector and everything else, in one small image:
#   docker build -t privet .
#   docker run --rm privet demo
FROM rust:1-bookworm AS build
WORKDIR /privet
# What a person's browser runs is compiled into the collector.
RUN rustup target add wasm32-unknown-unknown
COPY . .
RUN cargo build --release --bin privet && target/release/privet self man man1 --quiet

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /data privet
COPY --from=build /privet/target/release/privet /usr/local/bin/privet
COPY --from=build /privet/man1 /usr/local/share/man/man1
USER privet
WORKDIR /data
VOLUME /data
EXPOSE 8420
ENTRYPOINT ["privet"]
CMD ["--help"]
