/** Allows pages of other origins to use a bucket from a browser. The first rule that matches applies. */
export interface CorsRule {
  readonly id?: string
  /** Each origin has at most one `*`. */
  readonly allowedOrigins: readonly string[]
  readonly allowedMethods: readonly string[]
  /** Each name has at most one `*`. */
  readonly allowedHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
  readonly maxAgeSeconds?: number
}
