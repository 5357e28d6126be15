import { randomBytes } from 'node:crypto'
import type { Ids } from '@varve/core'

/** 128 bits from the system's own generator, as 32 hex digits. */
export const randomIds: Ids = { next: () => randomBytes(16).toString('hex') }
