/** Packages that only some layouts need: loaded when such a layout is opened. An error names a missing one. */
import { StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'

const missing = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/**
 * @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when the package, or its part for this
 * platform, is not installed.
 */
export async function optionalPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const why = missing.has(errnoOf(cause)) ? 'is not installed' : 'does not load on this machine'
    const message = `This needs the package ${name}, which ${why}.`
    throw new StorageError('UnsupportedFormat', message, {
      details: { kind: 'package', package: name },
      hint: `Run \`npm install ${name}\`.`,
      cause,
    })
  }
}
