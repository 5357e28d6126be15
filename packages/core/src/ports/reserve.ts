/**
 * Space kept free so that the journal never meets a full disk in the middle of a commit. Below the low-water mark,
 * writes that grow the store are refused with `NoSpace`; reads and deletes still work.
 */
export interface Reserve {
  /** True if the medium is below the low-water mark. Cheap: adapters may return a result up to a second old. */
  exhausted(): Promise<boolean>
}
