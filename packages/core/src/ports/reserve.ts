/**
 * Room kept free so that the journal never meets a full disk in the middle of a commit: below the low-water mark
 * writes that grow the store are refused with `NoSpace`, while reads and deletes go on.
 */
export interface Reserve {
  /** True when the medium is below the low-water mark. Cheap: adapters may answer from the last second. */
  exhausted(): Promise<boolean>
}
