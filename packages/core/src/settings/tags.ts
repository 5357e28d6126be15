/** Tags of buckets and objects: pairs, sorted by key, each key once. */
export interface Tag {
  readonly key: string
  readonly value: string
}
