/** Checks paths of files and directories that callers pass. */
import { fileURLToPath } from 'node:url'
import { schema } from '@varve/core'

const { checked, Mismatch, text } = schema

const anyText = text({ min: 1 })

/** Two characters at least: `c://` is a drive. */
const scheme = /^[a-z][a-z0-9+.-]+:\/\//i

/**
 * Checks the form of a path, or of `file:///PATH`, of which it gives the path; whether the file exists is checked on use. Other
 * addresses are refused: the system would take `s3://bucket/prefix` for a path. No system allows a null character in names, and
 * Node refuses it with its own error.
 */
export const pathText: schema.Schema<string> = {
  read(value) {
    const path = anyText.read(value)
    if (path.includes('\0')) throw new Mismatch('must be a path: it has a null character')
    return scheme.test(path) ? pathOfAddress(path) : path
  },
  accepts: (value) => typeof value === 'string',
}

/** @throws StorageError `InvalidArgument` for an invalid path. */
export const pathOf = (name: string, path: unknown): string => checked(name, pathText, path)

function pathOfAddress(address: string): string {
  try {
    const url = new URL(address)
    if (url.protocol === 'file:' && url.search === '' && url.hash === '' && url.pathname !== '/')
      return fileURLToPath(url)
  } catch {
    // Refused like other addresses.
  }
  // Without the address itself, which could have a secret.
  throw new Mismatch('must be a path or file:///PATH: it is another address')
}
