/** What people install. Everything a program needs to hold a store in its own process. */
export type * from '@varve/core'
export { isStorageError, limits, StorageError } from '@varve/core'
export { createKeyring } from './keyring/create-keyring.ts'
export type { KeyMaterial } from './keyring/key-material.ts'
export { loadKeyringFile } from './keyring/keyring-file.ts'
export { file } from './bodies/file.ts'
export { memoryStore } from './store/memory-store.ts'
export type {
  MigrateStoreOptions,
  MigrationStage,
  RepairStoreOptions,
  SalvageStoreOptions,
  VerifyStoreOptions,
} from './maintenance/directory-arguments.ts'
export { migrateStore, type MigrationReport } from './maintenance/migrate-store.ts'
export { openStore } from './store/open-store.ts'
export { type LayoutName, layouts } from '@varve/adapters'
export { repairStore, type RepairReport } from './maintenance/repair-store.ts'
export { salvageStore, type SalvageReport } from './maintenance/salvage-store.ts'
export type { StoreEventListeners, StoreEventName, StoreEvents } from './store/store-events.ts'
export type { ScrubSettings } from './jobs/scrub-schedule.ts'
export type { FileCheck, MemoryStoreOptions, OpenStoreOptions } from './store/store-options.ts'
export { toFile, type ToFileOptions } from './bodies/to-file.ts'
export { toReadable } from './bodies/to-readable.ts'
export type { VarveStore } from './store/varve-store.ts'
export { verifyStore } from './maintenance/verify-store.ts'
export { loadWebhookFile } from './webhooks/webhook-file.ts'
export type { Webhook } from './webhooks/webhook.ts'
