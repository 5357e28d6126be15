/** What people install. Everything a program needs to hold a store in its own process. */
export type * from '@varve/core'
export { isStorageError, limits, StorageError } from '@varve/core'
export { createKeyring } from './keyring/create-keyring.ts'
export type { KeyMaterial } from './keyring/key-material.ts'
export { loadKeyringFile } from './keyring/keyring-file.ts'
export { file } from './file.ts'
export { memoryStore } from './memory-store.ts'
export type {
  MigrateStoreOptions,
  MigrationStage,
  RepairStoreOptions,
  SalvageStoreOptions,
  VerifyStoreOptions,
} from './directory-arguments.ts'
export { migrateStore, type MigrationReport } from './migrate-store.ts'
export { openStore } from './open-store.ts'
export { type LayoutName, layouts } from '@varve/adapters'
export { repairStore, type RepairReport } from './repair-store.ts'
export { salvageStore, type SalvageReport } from './salvage-store.ts'
export type { StoreEventListeners, StoreEventName, StoreEvents } from './store-events.ts'
export type { ScrubSettings } from './scrub-schedule.ts'
export type { FileCheck, MemoryStoreOptions, OpenStoreOptions } from './store-options.ts'
export { toFile, type ToFileOptions } from './to-file.ts'
export { toReadable } from './to-readable.ts'
export type { VarveStore } from './varve-store.ts'
export { verifyStore } from './verify-store.ts'
export { loadWebhookFile } from './webhooks/webhook-file.ts'
export type { Webhook } from './webhooks/webhook.ts'
