/** How a restore, an undo or a merge may be divided into commits. */
export interface Parted {
  /**
   * Allows several commits, for more changes than one commit takes. Each of them is atomic. Then it is a task of the store,
   * which goes on when the store is opened again after a crash: see `store.tasks`. @default false; true for an undo
   */
  readonly inParts?: boolean
  /**
   * With `inParts`: the maximum number of changes in a commit, from 1 to 250. Other writers wait for one commit at a time.
   * @default 250 if all fit into one commit, else 100
   */
  readonly partSize?: number
  /** Called after each commit, with the number of changes that were made or left out. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}
