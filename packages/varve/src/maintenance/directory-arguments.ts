/** Checks the arguments of functions on a store's directory. */
import {
  type Keyring,
  type Progress,
  schema,
  type TransplantStage,
  verifyFields,
  type VerifyOptions,
} from '@varve/core'
import { keyringSchema } from '../keyring/keyring-schema.ts'
import { pathText } from '../files/paths.ts'

/** Options of `verifyStore`. */
export interface VerifyStoreOptions extends Omit<VerifyOptions, 'scratch'> {
  /**
   * A directory for temporary files of the verification: a copy of the log and the views, removed at the end. @default
   * in the store
   */
  readonly scratchDir?: string
  /**
   * Touch no file of the store. Temporary files go to the system's own directory, or to `scratchDir`. @default false
   */
  readonly readOnly?: boolean
  /** Has the keys of replicas that are encrypted: those that have what is missing, as after an instant restore. */
  readonly keyring?: Keyring
}

/** Options of `repairStore`. */
export interface RepairStoreOptions extends Omit<VerifyStoreOptions, 'views' | 'onDivergence' | 'readOnly'> {
  /** Replicas, asked in this order for events and bytes that are damaged: see `ReplicaSettings.to`. @default none */
  readonly from?: readonly string[]
}

/** Options of `salvageStore`. */
export type SalvageStoreOptions = Omit<VerifyStoreOptions, 'blobs' | 'views' | 'onDivergence'>

/** Options of `migrateStore`. */
export interface MigrateStoreOptions {
  readonly signal?: AbortSignal
  /** Called with the progress of each stage, which counts up to its own total. */
  onProgress?(progress: Progress & { readonly stage: MigrationStage }): void
}

/** The stage that a migration is in. The last one reads back what was written. */
export type MigrationStage = TransplantStage | 'check'

const { abortSignal, array, boolean, listener, checked, object, optional, text } = schema
const replicasMax = 16

const verifyStoreFields: schema.FieldsOf<VerifyStoreOptions> = {
  ...verifyFields,
  scratchDir: optional(pathText),
  readOnly: optional(boolean),
  keyring: optional(keyringSchema),
}
const { blobs: _blobs, views: _views, onDivergence: _findings, ...salvaging } = verifyStoreFields
const { views: _compared, onDivergence: _listener, readOnly: _alone, ...repairing } = verifyStoreFields

/** A checked copy of options. @throws StorageError `InvalidArgument`, also for unknown options. */
const reading =
  <T>(options: schema.Schema<T>) =>
  (given: unknown): T =>
    checked('options', options, given)

export const verifyStoreOptions = reading(object<VerifyStoreOptions>(verifyStoreFields))
export const repairStoreOptions = reading(
  object<RepairStoreOptions>({
    ...repairing,
    from: optional(array(text({ min: 1 }), { max: replicasMax })),
  }),
)
export const salvageStoreOptions = reading(object<SalvageStoreOptions>(salvaging))
export const migrateStoreOptions = reading(
  object<MigrateStoreOptions>({ signal: optional(abortSignal), onProgress: optional(listener()) }),
)
