/**
 * The FORMAT file, which makes a directory a store. In an `initialising` store, which has never answered a request,
 * missing files may be created; in a `ready` store missing files are lost.
 *
 * Version 1 is the only format. A later one raises `formatVersion`; `openStoreDirectory` is then where a store of an
 * older one is upgraded.
 */
import { StorageError } from '@varve/core'
import { readSmallFile, replaceFile } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { isLayoutName, type LayoutName } from '../layouts/layout.ts'
import { parseObject, sealJson, type SealedFields, unsealJson } from './sealed-json.ts'

/** The version of the current format. */
export const formatVersion = 1

const states = ['initialising', 'ready', 'switching'] as const
export type StoreState = (typeof states)[number]

export interface StoreFormat {
  /** 32 hex digits, which never change. */
  readonly storeId: string
  readonly version: typeof formatVersion
  /** `switching`: parts of another layout are replacing those of the store. */
  readonly state: StoreState
  readonly layout: LayoutName
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
  if (typeof version === 'number' && version > formatVersion) {
    const message = `The store has format ${version}; this release knows formats up to ${formatVersion}.`
    throw new StorageError('UnsupportedFormat', message, { details: { kind: 'newer', version } })
  }
  const fields = unsealJson(text)
  const layout = fields?.['layout']
  if (version === formatVersion && typeof layout === 'string' && !isLayoutName(layout)) {
    const message = `The store has the layout ${layout}, which this release does not know.`
    throw new StorageError('UnsupportedFormat', message, { details: { kind: 'newer', layout } })
  }
  const format = formatIn(fields)
  if (format === undefined) {
    const message = 'The FORMAT file of the store is damaged.'
    throw new StorageError('UnsupportedFormat', message, { details: { kind: 'damaged' } })
  }
  return format
}

function formatIn(fields: SealedFields | undefined): StoreFormat | undefined {
  const { storeId, version, state, layout } = fields ?? {}
  const known = states.find((each) => each === state)
  if (typeof storeId !== 'string' || known === undefined) return undefined
  return version === formatVersion && isLayoutName(layout) ? { storeId, version, state: known, layout } : undefined
}

/** @throws StorageError `ReadOnly` (`details.kind` is `switching`) while parts of the store are being replaced. */
export function assertSettled({ state }: StoreFormat): void {
  if (state !== 'switching') return
  const message = 'A change of layout was interrupted.'
  const hint = 'Open the store without `readOnly`: that finishes the change.'
  throw new StorageError('ReadOnly', message, { details: { kind: 'switching' }, hint })
}

/** @throws StorageError `NoSpace` or `JournalFailed` */
export async function writeFormat(fs: FileSystem, path: string, format: StoreFormat): Promise<void> {
  const { storeId, version, state, layout } = format
  const text = sealJson({ storeId, version, layout, state })
  await onMedium('JournalFailed', 'Writing the format of the store', () => replaceFile(fs, path, text))
}
