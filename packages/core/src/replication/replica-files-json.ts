/** Small files of a replica, which are documents of JSON. */
import { StorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts'
import type { ReplicaFiles } from '../ports/index.ts'
import type { Schema } from '../schema/schema.ts'
import { replicaCorrupt } from './replica-corrupt.ts'

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * Writes the document; false if the file is there with another one. Equal documents are one document, so each writer states
 * in it who it is.
 */
export async function createDocument(files: ReplicaFiles, name: string, document: object): Promise<boolean> {
  const bytes = encodeUtf8(JSON.stringify(document))
  if (await files.create(name, once(bytes))) return true
  const found = await files.read(name)
  return found !== undefined && sameBytes(found, bytes)
}

/** `undefined` if there is no such file. @throws StorageError `ReplicaCorrupt`, `UnsupportedFormat` */
export async function readDocument<T extends object>(
  files: ReplicaFiles,
  name: string,
  schema: Schema<T>,
): Promise<T | undefined> {
  const bytes = await files.read(name)
  return bytes && parseVersioned(name, bytes, schema)
}

/** The number of the form of all files. A release with another one raises it. */
export const replicaFormat = 1

/** As `parseDocument`, for a document that states its format. @throws StorageError `ReplicaCorrupt`, `UnsupportedFormat` */
export function parseVersioned<T extends object>(name: string, bytes: Uint8Array, schema: Schema<T>): T {
  const value = parsed(name, bytes)
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format === replicaFormat)
    return documentOf(name, value, schema)
  throw new StorageError('UnsupportedFormat', `The file ${name} of the replica is of a newer release.`, {
    details: { file: name },
  })
}

/** The document in these bytes. @throws StorageError `ReplicaCorrupt` */
export function parseDocument<T extends object>(name: string, bytes: Uint8Array, schema: Schema<T>): T {
  return documentOf(name, parsed(name, bytes), schema)
}

function parsed(name: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes)) as unknown
  } catch {
    throw notDocument(name)
  }
}

function documentOf<T extends object>(name: string, value: unknown, schema: Schema<T>): T {
  try {
    return schema.read(value)
  } catch {
    throw notDocument(name)
  }
}

const notDocument = (name: string) => replicaCorrupt('form', `The file ${name} of the replica is damaged.`, name)
