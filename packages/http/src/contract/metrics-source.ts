/** Measurements as text, for a system that collects them. */
export interface MetricsSource {
  /** The media type of the text. */
  readonly contentType: string
  text(): Promise<string>
  /** Requests must have this bearer token. @default anyone who reaches the server may ask */
  readonly token?: string
}
