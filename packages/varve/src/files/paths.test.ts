import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { varve } from '../cli/run-main.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { pathOf } from './paths.ts'

describe('a path', () => {
  it('can be given as file:///PATH, also with encoded characters', () => {
    expect(pathOf('dir', 'file:///var/a%20store')).toBe('/var/a store')
    expect(pathOf('dir', './s3:/x')).toBe('./s3:/x')
    expect(pathOf('dir', 'a:b')).toBe('a:b')
  })

  it('is no other address, and the message does not have the address', () => {
    for (const address of [
      's3://key:secret@bucket/prefix',
      'S3://bucket',
      'https://secret/x',
      'postgres://secret/x',
      'file://host/x',
      'file:///x?secret',
      'file:///x#y',
      'file:///',
      'file://',
      'file:///a%2Fb',
    ]) {
      expect(() => pathOf('dir', address)).toThrow(/^dir must be a path or file:\/\/\/PATH: it is another address\.?$/)
    }
  })
})

describe('commands with a path', () => {
  let base: string
  const cwd = process.cwd()
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'varve-paths-'))
    process.chdir(base)
  })
  afterEach(async () => {
    process.chdir(cwd)
    await rm(base, { recursive: true })
  })

  const makeStore = async () => {
    const store = await openStore('data')
    await store.buckets.create('box')
    await store.close()
  }

  it('make and read nothing for an address of another kind', async () => {
    await makeStore()
    const address = 's3://else/where'
    for (const args of [
      ['backup', address, '--dir', 'data'],
      ['restore-store', 'data', address],
      ['follow', 'data', address],
      ['import', 's4://archive', 'restored'],
      ['import', 'archive', 's4://new'],
      ['export', 's4://store', '--to', 'archive'],
      ['export', 'data', '--to', address],
      ['get', 's3://box/cat', address, '--dir', 'data'],
      ['put', address, 's3://box/cat', '--dir', 'data'],
      ['check-proof', address, '--key', 'x'],
      ['checkpoint', '--out', address, '--dir', 'data'],
      ['verify', '--salvage', address, '--dir', 'data'],
      ['verify', '--read-only', '--scratch', address, '--dir', 'data'],
      ['keys', 'create', address],
    ]) {
      const { status, stderr } = await varve(args)
      expect({ args, status, stderr }).toEqual({
        args,
        status: 1,
        stderr: expect.stringContaining('(InvalidArgument)'),
      })
    }
    for (const args of [
      ['ls', '--dir', address],
      ['demo', address],
      ['mb', 's3://box', '--dir', address],
    ]) {
      expect(await varve(args)).toMatchObject({ status: 2, stderr: expect.stringContaining('another address') })
    }
    expect(await readdir('.')).toEqual(['data'])
  })

  it('take the address of a file or directory', async () => {
    const address = (name: string) => pathToFileURL(join(base, name)).href
    await makeStore()
    await writeFile('cat', 'bytes')
    for (const args of [
      ['put', address('cat'), 's3://box/cat', '--dir', 'data'],
      ['backup', address('copy'), '--dir', 'data'],
      ['export', address('data'), '--to', address('archive')],
      ['import', address('archive'), address('again')],
      ['get', 's3://box/cat', address('got'), '--dir', address('again')],
    ]) {
      expect(await varve(args)).toMatchObject({ status: 0, stderr: '' })
    }
    expect((await readdir('.')).toSorted()).toEqual(['again', 'archive', 'cat', 'copy', 'data', 'got'])
  })
})
