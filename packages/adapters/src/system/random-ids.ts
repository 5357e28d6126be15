import { randomUUID } from 'node:crypto'
import type { Ids } from '@varve/core'

/** 122 random bits as 32 hex digits: a UUID without dashes. Node gets the random bytes for many UUIDs at once. */
export const randomIds: Ids = { next: () => randomUUID().replaceAll('-', '') }
