/** Which pages of other origins may use a bucket from a browser. The first rule that fits counts. */
export interface CorsRule {
  readonly id?: string
  /** Each with at most one `*`. */
  readonly allowedOrigins: readonly string[]
  readonly allowedMethods: readonly string[]
  /** Each with at most one `*`. */
  readonly allowedHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
  readonly maxAgeSeconds?: number
}
