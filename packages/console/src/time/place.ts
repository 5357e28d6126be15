/** What a view of the page is about. */
export interface Place {
  readonly bucket: string
  readonly prefix: string
  /** The moment of the slider: a position, a time or a snapshot. */
  readonly at: string | undefined
  /** The other moment of a comparison. */
  readonly to?: string | undefined
  readonly key?: string | undefined
}
