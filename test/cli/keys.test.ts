/** `varve keys`, and servers and commands that are lent keys. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createKeyring, openStore } from 'varve'
import { signRequest } from 'varve/http'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const root = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const variables = { VARVE_ACCESS_KEY_ID: root.accessKeyId, VARVE_SECRET_ACCESS_KEY: root.secretAccessKey }

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

async function ask({ url }: Server, method: string, path: string, { headers: more = {}, body = '' }: Sent = {}) {
  const headers = [['host', new URL(url).host], ...Object.entries(more)] as const
  const signed = signRequest(
    { method, rawPath: path, headers },
    { ...root, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' },
  )
  const options = { method, headers: Object.fromEntries(signed.headers), ...(body !== '' && { body }) }
  return fetch(new URL(path, url), options)
}

const keysIn = async (file: string) =>
  JSON.parse(await readFile(file, 'utf8')) as { master: string[]; keys: Record<string, string[]> }

describe('varve keys', () => {
  it('makes a keyring and adds keys to it, and never shows one', async () => {
    const file = next()
    const made = await varve(['keys', 'create', file])
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(made.stdout).toMatch(/: master key [0-9a-f]{16}\n$/)
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    const again = await varve(['keys', 'create', file])
    expect(again.status).not.toBe(0)
    expect(again.stderr).toContain('already')
    const [first] = (await keysIn(file)).master
    const shown = [made, await varve(['keys', 'add', file]), await varve(['keys', 'add', file, 'payroll'])]
    const { master, keys } = await keysIn(file)
    expect(master).toHaveLength(2)
    expect(master[1]).toBe(first)
    expect(Object.keys(keys)).toEqual(['payroll'])
    const text = shown.map(({ stdout, stderr }) => stdout + stderr).join('')
    for (const key of [...master, ...(keys['payroll'] ?? [])]) expect(text).not.toContain(key)
  })

  it('rotates the keys of a store, which the older master key is then not needed for', async () => {
    const [dir, file] = [next(), next()]
    const [older, newer] = [
      'b2xkZXIgbWFzdGVyIGtleSBvZiAzMiBieXRlcyBoZXI=',
      'bmV3ZXIgbWFzdGVyIGtleSBvZiAzMiBieXRlcyBoZXI=',
    ]
    const store = await openStore(dir, { keyring: createKeyring({ master: [older] }) })
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'the text', { encryption: { mode: 'AES256' } })
    await store.close()
    await writeFile(file, JSON.stringify({ master: [newer, older] }), { mode: 0o600 })
    const rotated = await varve(['keys', 'rotate', '--dir', dir, '--json'], { VARVE_KEYRING: file })
    expect(jsonLines(rotated.stdout)).toMatchObject([{ generation: 1 }, { generation: 2 }])
    const cat = await varve(['cat', 's3://box/k', '--dir', dir], { VARVE_MASTER_KEY: newer })
    expect(cat.stdout).toBe('the text')
    const list = await varve(['keys', 'list', '--dir', dir])
    expect(list.stdout).toMatch(/^(generation \d {2}master key [0-9a-f]{16}\n){2}$/)
  })

  it('refuses keys that are none', async () => {
    const file = next()
    await writeFile(file, '{"master": ["short"]}', { mode: 0o600 })
    const { stderr, status } = await varve(['serve', next(), '--keyring', file])
    expect([status === 0, stderr.includes('32 bytes')]).toEqual([false, true])
  })
})

describe('varve serve', () => {
  it('encrypts with keys of its own where it is given none, and its workers do', async () => {
    const dir = next()
    const server = await serve([dir, '--workers', '2', '--json'], variables)
    expect((await ask(server, 'PUT', '/box')).status).toBe(200)
    const sse = { 'x-amz-server-side-encryption': 'AES256' }
    const keys = ['a', 'b', 'c', 'd']
    for (const key of keys) {
      const put = await ask(server, 'PUT', `/box/${key}`, {
        headers: { ...sse, 'content-length': '8' },
        body: 'the text',
      })
      expect([put.status, put.headers.get('x-amz-server-side-encryption')]).toEqual([200, 'AES256'])
    }
    for (const key of keys) expect(await (await ask(server, 'GET', `/box/${key}`)).text()).toBe('the text')
    await server.stop()
    expect((await keysIn(join(dir, 'keyring.json'))).master).toHaveLength(1)
    const store = await openStore(dir)
    for (const key of keys) expect(await (await store.objects.get('box', key)).text()).toBe('the text')
    await store.close()
  })
})
