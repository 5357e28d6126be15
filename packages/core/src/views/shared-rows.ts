/** The rows that count bytes which several buckets share. */

/** How many versions of a bucket have a content that several buckets had. Absent: none has it. */
export interface HolderRow {
  readonly versions: number
}

/** The sum of `shared` of all buckets of an owner. Absent: nothing. */
export interface OwnerSharedRow {
  readonly bytes: number
}
