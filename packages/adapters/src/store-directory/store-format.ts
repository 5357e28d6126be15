/**
 * The FORMAT file: it makes a directory a store. `initialising` means that nothing was ever answered from it, so
 * what is missing may be made; in a `ready` store what is missing is lost.
 */
import { StorageError } from '@varve/core'
import { readSmallFile, replaceFile } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { parseObject, sealJson, unsealJson } from './sealed-json.ts'

const storeVersion = 1

export interface StoreFormat {
  /** 32 hex digits, given once. */
  readonly storeId: string
  readonly state: 'initialising' | 'ready'
}

/**
 * `undefined` when there is no such file.
 * @throws StorageError `UnsupportedFormat` when a newer release wrote it (`details.kind` is `newer`) or it is damaged
 * (`damaged`); `JournalFailed` when it cannot be read.
 */
export async function readFormat(fs: FileSystem, path: string): Promise<StoreFormat | undefined> {
  const text = await onMedium('JournalFailed', 'Reading the format of the store', () => readSmallFile(fs, path))
  if (text === undefined) return undefined
  const version = parseObject(text)?.['version']
  if (typeof version === 'number' && version > storeVersion) {
    const message = `The store has format ${version}; this release knows formats up to ${storeVersion}.`
    throw new StorageError('UnsupportedFormat', message, { details: { kind: 'newer', version } })
  }
  const fields = unsealJson(text)
  if (fields === undefined || !isFormat(fields) || version !== storeVersion) {
    const message = 'The FORMAT file of the store is damaged.'
    throw new StorageError('UnsupportedFormat', message, { details: { kind: 'damaged' } })
  }
  return { storeId: fields.storeId, state: fields.state }
}

/** @throws StorageError `NoSpace` or `JournalFailed` */
export async function writeFormat(fs: FileSystem, path: string, { storeId, state }: StoreFormat): Promise<void> {
  const text = sealJson({ storeId, version: storeVersion, state })
  await onMedium('JournalFailed', 'Writing the format of the store', () => replaceFile(fs, path, text))
}

const isFormat = (
  fields: Readonly<Record<string, unknown>>,
): fields is Readonly<Record<string, unknown>> & StoreFormat =>
  typeof fields['storeId'] === 'string' && (fields['state'] === 'initialising' || fields['state'] === 'ready')
