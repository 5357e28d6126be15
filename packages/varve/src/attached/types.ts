/** The types of stores that another process has open. */
export type { StoreStatus } from '@varve/http'
export type { AttachedIdentities } from './attached-identities.ts'
export type { AttachOptions } from './attach-store.ts'
export type { AttachedClock, AttachedContext, AttachedStore } from './attached-store.ts'
export type { AttachedVerifyOptions } from './attached-work.ts'
