/** Names of files and directories, as callers give them. */
import { schema } from '@varve/core'

const { checked, Mismatch, text } = schema

const anyText = text({ min: 1 })

/** Whether there is such a file is seen where it is used. No system has names with a null in them, and Node refuses them in its own way. */
export const pathText: schema.Schema<string> = {
  read(value) {
    const path = anyText.read(value)
    if (path.includes('\0')) throw new Mismatch('must be a path: it has a null character')
    return path
  },
  accepts: (value) => typeof value === 'string',
}

/** @throws StorageError `InvalidArgument` unless it is a path. */
export const pathOf = (name: string, path: unknown): string => checked(name, pathText, path)
