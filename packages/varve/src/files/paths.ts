/** Checks paths of files and directories that callers pass. */
import { schema } from '@varve/core'

const { checked, Mismatch, text } = schema

const anyText = text({ min: 1 })

/**
 * Checks the form of a path; whether the file exists is checked on use. No system allows a null character in names, and
 * Node refuses it with its own error.
 */
export const pathText: schema.Schema<string> = {
  read(value) {
    const path = anyText.read(value)
    if (path.includes('\0')) throw new Mismatch('must be a path: it has a null character')
    return path
  },
  accepts: (value) => typeof value === 'string',
}

/** @throws StorageError `InvalidArgument` for an invalid path. */
export const pathOf = (name: string, path: unknown): string => checked(name, pathText, path)
