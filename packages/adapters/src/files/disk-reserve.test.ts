import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { FileSystemSpace } from './file-system.ts'
import { nodeFileSystem } from './node-file-system.ts'
import { systemError } from './faulty-file-system.fixture.ts'
import { type DiskReserveOptions, diskReserve } from './disk-reserve.ts'

const mebibyte = 1024 * 1024
/** A medium of 1 GiB with blocks of 4 KiB. */
const blocks = 262_144
const medium = (freeBytes: number, more: Partial<FileSystemSpace> = {}): FileSystemSpace => ({
  bsize: 4096,
  blocks,
  bavail: Math.floor(freeBytes / 4096),
  files: 1000,
  ffree: 500,
  ...more,
})

function subject(space: FileSystemSpace, options: DiskReserveOptions = {}) {
  const world = { space, time: 0, requested: 0, failing: false }
  const reserve = diskReserve('/', {
    ...options,
    now: () => world.time,
    fs: {
      ...nodeFileSystem,
      statfs: async () => {
        world.requested++
        if (world.failing) throw systemError('EIO')
        return world.space
      },
    },
  })
  return { world, reserve }
}

describe('the reserve', () => {
  it.each([
    ['64 MiB is enough', medium(64 * mebibyte), {}, false],
    ['a block less is not', medium(64 * mebibyte - 1), {}, true],
    ['a share of 10 % of 1 GiB is more than 64 MiB', medium(102 * mebibyte), { minShare: 0.1 }, true],
    ['and enough when there is more', medium(103 * mebibyte), { minShare: 0.1 }, false],
    ['bytes as configured', medium(10 * mebibyte), { minBytes: mebibyte, minShare: 0 }, false],
    ['no file left to make', medium(500 * mebibyte, { ffree: 63 }), {}, true],
    ['files just enough', medium(500 * mebibyte, { ffree: 64 }), {}, false],
    ['files not counted', medium(500 * mebibyte, { files: 0, ffree: 0 }), {}, false],
  ])('%s', async (_, space, options, exhausted) => {
    expect(await subject(space, options).reserve.exhausted()).toBe(exhausted)
  })

  it('checks the medium at most once a second, however many calls there are', async () => {
    const { world, reserve } = subject(medium(100 * mebibyte))
    await Promise.all([reserve.exhausted(), reserve.exhausted()])
    world.space = medium(0)
    world.time = 999
    expect(await reserve.exhausted()).toBe(false)
    expect(world.requested).toBe(1)
    world.time = 1000
    expect(await reserve.exhausted()).toBe(true)
    expect(world.requested).toBe(2)
  })

  it('checks sooner when many bytes were written', async () => {
    const { world, reserve } = subject(medium(100 * mebibyte))
    await reserve.exhausted()
    world.space = medium(0)
    reserve.spend(8 * mebibyte)
    expect(await reserve.exhausted()).toBe(false)
    reserve.spend(1)
    expect(await reserve.exhausted()).toBe(true)
  })

  it('answers at once from a recent check, and not from one that has failed since', async () => {
    const { world, reserve } = subject(medium(100 * mebibyte))
    await reserve.exhausted()
    expect(reserve.exhausted()).toBe(false)
    world.time = 1000
    world.failing = true
    await expect(reserve.exhausted()).rejects.toMatchObject({ code: 'BlobFailed' })
    await expect(reserve.exhausted()).rejects.toMatchObject({ code: 'BlobFailed' })
  })

  it('does not remember a failed check', async () => {
    const { world, reserve } = subject(medium(100 * mebibyte))
    world.failing = true
    await expect(reserve.exhausted()).rejects.toMatchObject({ code: 'BlobFailed', details: { errno: 'EIO' } })
    world.failing = false
    expect(await reserve.exhausted()).toBe(false)
  })

  it('reads the real medium', async () => {
    expect(await diskReserve(tmpdir(), { minBytes: 1, minShare: 0, minFiles: 0 }).exhausted()).toBe(false)
    expect(await diskReserve(tmpdir(), { minShare: 1.01 }).exhausted()).toBe(true)
  })
})
