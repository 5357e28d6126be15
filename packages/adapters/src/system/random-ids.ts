import { randomFillSync } from 'node:crypto'
import type { Ids } from '@varve/core'

const idBytes = 16
/** Random bytes for many ids: getting them takes longer than writing an id. */
const pool = Buffer.alloc(256 * idBytes)
let at = pool.length

/** 128 random bits as 32 hex digits. */
export const randomIds: Ids = {
  next() {
    if (at === pool.length) {
      randomFillSync(pool)
      at = 0
    }
    at += idBytes
    return pool.toString('hex', at - idBytes, at)
  },
}
