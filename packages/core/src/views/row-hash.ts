/** The FNV-1a hash of a row's key, by which changed rows are recorded and announced. */
export function rowHash(key: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193)
  return hash >>> 0
}
