import { StorageError } from '@varve/core'
import { pathOf } from '../../files/paths.ts'
import { readFile } from '../../files/patient-files.ts'

/** The text of a file that an option names. @throws StorageError `InvalidArgument` if it cannot be read */
export const readTextFile = async (path: string): Promise<string> =>
  readFile(pathOf('path', path), 'utf8').catch((cause: unknown) => {
    throw unusableFile(`${path} cannot be read`, cause)
  })

/** A file that an option names does not have what it should have. */
export function unusableFile(problem: string, cause?: unknown): StorageError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return new StorageError('InvalidArgument', problem + reason, { cause })
}
