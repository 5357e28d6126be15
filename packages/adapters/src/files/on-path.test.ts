import { join } from 'node:path'
import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { onMedium, onPath } from './errno.ts'

const refused = (errno: string, path?: string) =>
  Object.assign(new Error(errno), { code: errno, ...(path && { path }) })

describe('a directory that the system refuses', () => {
  it.each([
    ['EACCES', 'AccessDenied'],
    ['EPERM', 'AccessDenied'],
    ['EROFS', 'ReadOnly'],
    ['ENOTDIR', 'InvalidArgument'],
    ['EEXIST', 'InvalidArgument'],
    ['ENAMETOOLONG', 'InvalidArgument'],
    ['ELOOP', 'InvalidArgument'],
    ['ENOSPC', 'NoSpace'],
    ['EDQUOT', 'NoSpace'],
  ])('with %s throws %s with its path and a hint', async (errno, code) => {
    // A file in the place of a directory of the store is damage.
    for (const path of code === 'InvalidArgument' ? [undefined, '/data', '/'] : [undefined, '/data/blobs']) {
      const error = refused(errno, path)
      for (const work of [
        () => Promise.reject(error),
        () => onMedium('JournalFailed', 'Opening', () => Promise.reject(error)),
        () => onMedium('BlobFailed', 'Opening', () => Promise.reject(error)),
      ]) {
        await expect(onPath('/data', work)).rejects.toMatchObject({
          code,
          message: expect.stringContaining(`${path ?? '/data'}`) as string,
          hint: expect.stringMatching(/^(Use|Name|Free)/) as string,
          details: { errno },
        })
      }
    }
  })

  it('is another thing than damage within it', async () => {
    const damage = () =>
      onMedium('BlobFailed', 'Opening', () => Promise.reject(refused('ENOTDIR', join('/data', 'blobs'))))
    await expect(onPath('/data', damage)).rejects.toMatchObject({ code: 'BlobFailed' })
  })

  it('is another thing than a broken disk, and than an error of the store', async () => {
    const broken = () => onMedium('JournalFailed', 'Opening', () => Promise.reject(refused('EIO')))
    await expect(onPath('/data', broken)).rejects.toMatchObject({ code: 'JournalFailed' })
    const locked = new StorageError('StoreLocked', 'Locked.', { cause: refused('EACCES') })
    await expect(onPath('/data', () => Promise.reject(locked))).rejects.toBe(locked)
  })
})
