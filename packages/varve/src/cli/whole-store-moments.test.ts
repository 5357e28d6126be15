/** `--at` of the commands that make, write and read whole stores. */
import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()
let dir: string
let replica: string
let archive: string
let end: number

beforeEach(async () => {
  dir = scratch.next()
  replica = `${dir}-replica`
  archive = `${dir}-archive`
  const store = await openStore(dir, { replicas: [{ to: replica }] })
  await store.buckets.create('photos')
  end = store.seq
  await store.close()
  await varve(['export', dir, '--to', archive])
})

const commands = () => [
  ['export', dir, '--to', scratch.next()],
  ['import', archive, scratch.next()],
  ['restore-store', dir, scratch.next()],
  ['restore-store', replica, scratch.next()],
]

describe('messages about places', () => {
  it('name the directory', async () => {
    const none = scratch.next()
    for (const args of [
      ['export', none, '--to', `${none}-archive`],
      ['backup', `${none}-copy`, '--dir', none],
    ]) {
      const { status, stderr } = await varve(args)
      expect({ args, status }).toEqual({ args, status: 6 })
      expect(stderr).toContain(`${none}: `)
    }
    for (const args of [
      ['import', archive, dir],
      ['restore-store', replica, dir],
    ]) {
      expect((await varve(args)).stderr).toContain(`There is a store already where this one is to go: ${dir}.`)
    }
    expect((await varve(['restore-store', 's3:/nope', none])).stderr).toContain('The address of a replica is')
  })

  it('name a command of backups that there is not', async () => {
    const { status, stderr } = await varve(['backups', 'verfy', replica])
    expect(status).toBe(2)
    expect(stderr).toContain('varve backups has the commands show and verify, and no "verfy".')
    expect((await varve(['backups', replica])).status).toBe(0)
  })
})

describe('--at for whole stores', () => {
  it('refuses times in the future', async () => {
    for (const command of commands()) {
      const { status, stderr } = await varve([...command, '--at', '2999-01-01'])
      expect({ command, status, stderr }).toMatchObject({ command, status: 1 })
      expect(stderr).toMatch(/is in the future\. \(MomentOutOfRange\)/)
    }
  })

  it('refuses position 0, by the name of the option', async () => {
    for (const command of commands()) {
      const { status, stderr } = await varve([...command, '--at', '0'])
      expect({ command, status }).toEqual({ command, status: 2 })
      expect(stderr).toContain('--at 0')
    }
  })

  it('refuses times before the first event', async () => {
    for (const command of commands()) {
      expect((await varve([...command, '--at', '2001-01-01'])).stderr).toContain('(MomentOutOfRange)')
    }
  })

  it('says in UTC which time was meant, and its position', async () => {
    const time = new Date().toISOString()
    for (const command of commands()) {
      const { status, stderr } = await varve([...command, '--at', time])
      expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: `As of ${time}: position ${end}.\n` })
    }
  })
})
