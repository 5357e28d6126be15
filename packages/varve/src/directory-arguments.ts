/** What calls about a store's directory may be given. */
import { schema, verifyFields } from '@varve/core'
import type { MigrateStoreOptions } from './migrate-store.ts'
import type { RepairStoreOptions } from './repair-store.ts'
import type { SalvageStoreOptions } from './salvage-store.ts'
import type { VerifyStoreOptions } from './verify-store.ts'

const { abortSignal, callable, checked, object, optional, text } = schema

const { scratch: _own, ...verifying } = verifyFields
const verifyStoreFields: schema.FieldsOf<VerifyStoreOptions> = { ...verifying, scratchDir: optional(text({ min: 1 })) }
const { views: _views, onDivergence: _findings, ...repairing } = verifyStoreFields
const { blobs: _blobs, ...salvaging } = repairing

const pathText = text({ min: 1 })

/** @throws StorageError `InvalidArgument` unless it is a path. */
export const pathOf = (name: string, path: unknown): string => checked(name, pathText, path)

/** A checked copy of options. @throws StorageError `InvalidArgument`, for options that there are not too. */
const reading =
  <T>(options: schema.Schema<T>) =>
  (given: unknown): T =>
    checked('options', options, given)

export const verifyStoreOptions = reading(object<VerifyStoreOptions>(verifyStoreFields))
export const repairStoreOptions = reading(object<RepairStoreOptions>(repairing))
export const salvageStoreOptions = reading(object<SalvageStoreOptions>(salvaging))
export const migrateStoreOptions = reading(
  object<MigrateStoreOptions>({ signal: optional(abortSignal), onProgress: optional(callable()) }),
)
