import { chmod, lstat, open, readFile, symlink, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'
import { ReservedFile } from './support/written-file.ts'

const scratch = scratchDirectory()

let dir: string
let versionId: string
/** A file beside the store. */
const beside = (name: string) => `${dir}-${name}`
const run = (...args: readonly string[]) => varve(args)

beforeEach(async () => {
  dir = scratch.next()
  const store = await openStore(dir, { retentionMs: 0 })
  await store.buckets.create('photos')
  await store.buckets.setVersioning('photos', 'Enabled')
  ;({ versionId } = await store.objects.put('photos', 'cat', 'bytes'))
  await store.objects.put('photos', 'cat', 'newer')
  await store.objects.delete('photos', 'cat', { versionId })
  await store.close()
  await writeFile(beside('bytes'), 'bytes')
  await writeFile(beside('other'), 'bytez')
})

const outputs: readonly [string, (file: string) => readonly string[]][] = [
  ['checkpoint', (file) => ['checkpoint', '--out', file]],
  ['prove', (file) => ['prove', 's3://photos/cat', '--version-id', versionId, '--out', file]],
  ['get', (file) => ['get', 's3://photos/one', file]],
  ['export', (file) => ['export', 's3://photos', '--to', file, '--overwrite']],
]

describe.skipIf(process.platform === 'win32')('The file of an output', () => {
  it.each(outputs)('of varve %s replaces a link, and not what the link names', async (name, args) => {
    for (const there of [true, false]) {
      const [out, victim] = [beside(`out-${there}`), beside(`victim-${there}`)]
      if (there) await writeFile(victim, 'precious', { mode: 0o666 })
      await symlink(victim, out)
      await run('put', beside('bytes'), 's3://photos/one', '--dir', dir)
      expect(await run(...args(out), '--dir', dir)).toMatchObject({ status: 0 })
      expect((await lstat(out)).isFile()).toBe(true)
      if (name !== 'get') expect((await lstat(out)).mode & 0o777).toBe(0o600)
      expect(await readFile(victim, 'utf8').catch(() => 'absent')).toBe(there ? 'precious' : 'absent')
    }
  })

  it.each(outputs)('of varve %s is no longer the file of someone else', async (name, args) => {
    const out = beside('theirs')
    await writeFile(out, 'theirs')
    await chmod(out, 0o666)
    const { ino } = await lstat(out)
    await run('put', beside('bytes'), 's3://photos/one', '--dir', dir)
    expect(await run(...args(out), '--dir', dir)).toMatchObject({ status: 0 })
    expect((await lstat(out)).ino).not.toBe(ino)
    if (name !== 'get') expect((await lstat(out)).mode & 0o777).toBe(0o600)
  })

  it('of a receipt is never one that is there, nor a link, and is for its owner alone', async () => {
    const [out, link] = [beside('receipt'), beside('receipt-link')]
    await symlink(beside('nowhere'), link)
    const erase = (file: string) =>
      run('erase', 's3://photos/cat', '--live', '--all-versions', '--yes', '--receipt', file, '--dir', dir)
    expect(await erase(link)).toMatchObject({ status: 1 })
    expect(await readFile(beside('nowhere')).catch(() => 'absent')).toBe('absent')
    expect(await erase(out)).toMatchObject({ status: 0 })
    expect((await lstat(out)).mode & 0o777).toBe(0o600)
  })

  it.runIf(process.platform === 'linux')('can be an open one, which is written where it is', async () => {
    const target = beside('redirected')
    const opened = await open(target, 'w')
    expect(await run('checkpoint', '--out', `/proc/self/fd/${opened.fd}`, '--dir', dir)).toMatchObject({ status: 0 })
    await opened.close()
    expect(await readFile(target, 'utf8')).toContain('\u2014 ')
  })
})

const key = async () => (await run('log-key', '--dir', dir)).stdout.trim()

describe('varve prove and check-proof', () => {
  it('make and check a proof of a removed version, on a closed store and on an open one', async () => {
    for (const isOpen of [false, true]) {
      const store = isOpen ? await openStore(dir) : undefined
      const proof = beside('proof')
      const made = await run('prove', 's3://photos/cat', '--version-id', versionId, '--out', proof, '--dir', dir)
      expect(made).toMatchObject({ status: 0, stderr: '' })
      expect(made.stdout).toMatch(/^The event at position \d+ is proven by /)
      await writeFile(beside('key'), `${await key()}\n`)
      const checked = await run('check-proof', proof, '--key', `@${beside('key')}`, '--content', beside('bytes'))
      expect(checked).toMatchObject({ status: 0, stderr: '' })
      expect(checked.stdout).toContain('s3://photos/cat')
      expect(checked.stdout).toContain('The content is that of the event: 5 bytes')
      await store?.close()
    }
  })

  it('refuse another content, another key, a changed proof, and a file that is no proof', async () => {
    const proof = beside('proof')
    await run('prove', 's3://photos/cat', '--version-id', versionId, '--out', proof, '--dir', dir)
    const own = await key()
    const refused = async (...args: readonly string[]) => {
      const { status, stderr, stdout } = await run('check-proof', ...args)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain('(ProofInvalid)')
    }
    await refused(proof, '--key', own, '--content', beside('other'))
    await refused(proof, '--key', own.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))
    const text = await readFile(proof, 'utf8')
    await writeFile(beside('changed'), text.replace(/index \d+/, 'index 0'))
    await refused(beside('changed'), '--key', own)
    await refused(beside('bytes'), '--key', own)
  })

  it('print JSON for programs, and the proof itself without a file', async () => {
    const { stdout } = await run('prove', 's3://photos/cat', '--dir', dir)
    expect(stdout.startsWith('c2sp.org/tlog-proof@v1\n')).toBe(true)
    const printed = await run('prove', 's3://photos/cat', '--json', '--dir', dir)
    const { text } = JSON.parse(Buffer.from(printed.stdout, 'latin1').toString()) as { text: string }
    await writeFile(beside('proof'), text)
    const checked = await run('check-proof', beside('proof'), '--key', await key(), '--json')
    expect(JSON.parse(checked.stdout)).toMatchObject({ kind: 'checked', event: { data: { key: 'cat' } } })
    await writeFile(beside('json'), Buffer.from(printed.stdout, 'latin1'))
    expect(await run('check-proof', beside('json'), '--key', await key())).toMatchObject({ status: 0, stderr: '' })
    for (const other of ['{', '{}', '{"text":1}', '{"text":"other"}']) {
      await writeFile(beside('json'), other)
      expect((await run('check-proof', beside('json'), '--key', await key())).stderr).toContain('(ProofInvalid)')
    }
  })

  it('name a file that cannot be written', async () => {
    const path = beside('none/proof')
    for (const args of [
      ['prove', 's3://photos/cat', '--out', path],
      ['checkpoint', '--out', path],
      ['export', 's3://photos', '--to', path],
      ['export', dir, '--to', path],
      ['get', 's3://photos/cat', path],
    ]) {
      const { status, stderr } = await run(...args, '--dir', dir)
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('(InvalidArgument)') })
      expect(stderr).toContain(`${path} cannot be written`)
    }
  })

  it('have errors for what is not there', async () => {
    expect(await run('prove', 's3://photos/none', '--dir', dir)).toMatchObject({ stdout: '' })
    expect((await run('prove', 's3://photos/none', '--dir', dir)).stderr).toContain('NoSuchKey')
    expect((await run('prove', 's3://photos', '--dir', dir)).status).toBe(2)
    expect((await run('check-proof', beside('none'), '--key', await key())).stderr).toContain('InvalidArgument')
    expect((await run('check-proof', beside('bytes'))).status).toBe(2)
  })
})

describe('varve checkpoint', () => {
  it('shows with a proof that the log only grew', async () => {
    expect((await run('checkpoint', '--out', beside('before'), '--dir', dir)).status).toBe(0)
    const size = (await readFile(beside('before'), 'utf8')).split('\n')[1] as string
    const store = await openStore(dir)
    await store.objects.put('photos', 'dog', 'bytes')
    await store.close()
    await run('checkpoint', '--consistent-with', size, '--out', beside('grown'), '--dir', dir)
    const checked = await run('check-proof', beside('grown'), '--since', beside('before'), '--key', await key())
    expect(checked.stdout).toContain(`It begins with the ${size} events of the earlier checkpoint.`)
    const own = await run('check-proof', beside('before'), '--key', await key())
    expect(own.stdout).toMatch(/^The log varve\/[0-9a-f]+ had \d+ events, signed by its key\.\n$/)
    expect((await run('check-proof', beside('grown'), '--key', await key())).status).toBe(2)
    expect((await run('checkpoint', '--consistent-with', '999', '--dir', dir)).stderr).toContain('MomentOutOfRange')
    for (const args of [
      ['--consistent-with', 'x'],
      ['--witness', 'http://127.0.0.1:1'],
      ['--witness', 'file:///x'],
    ]) {
      expect((await run('checkpoint', ...args, '--dir', dir)).status).toBe(2)
    }
  })
})

describe('varve prove --checkpoint', () => {
  it('proves by a checkpoint of before, and refuses one from before the event', async () => {
    await run('checkpoint', '--out', beside('before'), '--dir', dir)
    const store = await openStore(dir)
    await store.objects.put('photos', 'dog', 'bytes')
    await store.close()
    const by = ['--checkpoint', beside('before'), '--dir', dir]
    const { stdout } = await run('prove', 's3://photos/cat', ...by)
    const note = (await readFile(beside('before'))).toString('latin1')
    expect(stdout.endsWith(`\n\n${note}`)).toBe(true)
    expect((await run('prove', 's3://photos/dog', ...by)).stderr).toContain('MomentOutOfRange')
    expect((await run('prove', 's3://photos/cat', '--checkpoint', beside('none'), '--dir', dir)).status).not.toBe(0)
  })
})

describe('varve prove --seq', () => {
  it('proves an event by its position, and takes either that or an object', async () => {
    const made = await run('prove', '--seq', '1', '--out', beside('event'), '--dir', dir)
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const checked = await run('check-proof', beside('event'), '--key', await key())
    expect(checked.stdout).toContain('Position 1: ')
    expect((await run('prove', '--dir', dir)).status).toBe(2)
    expect((await run('prove', 's3://photos/cat', '--seq', '1', '--dir', dir)).status).toBe(2)
    expect((await run('prove', '--seq', '99999', '--dir', dir)).stderr).toContain('MomentOutOfRange')
  })
})

describe('varve erase', () => {
  it('refuses a key that never was, and says that there is nothing beneath a prefix', async () => {
    const mistyped = await run('erase', 's3://photos/cta', '--all-versions', '--yes', '--dir', dir)
    expect(mistyped).toMatchObject({ status: 1, stdout: '' })
    expect(mistyped.stderr).toContain('(NoSuchKey)')
    const nothing = await run('erase', 's3://photos/cta', '--recursive', '--yes', '--dir', dir)
    expect(nothing.status).toBe(1)
    expect(nothing.stderr).toContain('There are no versions with bytes at s3://photos/cta, and there were none.')
    for (const _again of [1, 2])
      expect(await run('erase', 's3://photos/ca', '--recursive', '--yes', '--dir', dir)).toMatchObject({
        status: 0,
        stderr: '',
      })
  })
})

describe('varve erase --receipt', () => {
  /** Erases a version that exists. */
  const erasing = async () => {
    const store = await openStore(dir)
    const put = await store.objects.put('photos', 'dog', 'bytes')
    await store.close()
    return ['erase', 's3://photos/dog', '--version-id', put.versionId, '--live', '--dir', dir]
  }

  it('writes a receipt that check-proof explains, with what it does not prove', async () => {
    const args = await erasing()
    const erased = await run(...args, '--yes', '--receipt', beside('receipt'))
    expect(erased).toMatchObject({ status: 0, stderr: '' })
    const checked = await run('check-proof', beside('receipt'), '--key', await key())
    expect(checked.stdout).toContain(`s3://photos/dog  version ${args[3]}`)
    expect(checked.stdout).toContain('the bytes were dropped at ')
    expect(checked.stdout).toContain('It does not prove that there are no copies elsewhere')
    const text = await readFile(beside('receipt'), 'utf8')
    await writeFile(beside('changed'), text.replace('erased 1 of 1', 'erased 0 of 1'))
    expect((await run('check-proof', beside('changed'), '--key', await key())).stderr).toContain('(ProofInvalid)')
    expect(await run(...args, '--yes', '--receipt', beside('again'))).toMatchObject({ status: 0, stderr: '' })
    expect((await run('check-proof', beside('again'), '--key', await key())).stdout).toContain(
      'the bytes were dropped at ',
    )
    expect((await run(...args, '--dry-run', '--receipt', beside('none'))).status).toBe(2)
  })

  it('refuses a file that is there or cannot be made before anything is erased', async () => {
    const args = await erasing()
    await writeFile(beside('earlier'), 'an earlier receipt')
    for (const [path, why] of [
      [beside('earlier'), 'already'],
      [beside('none/receipt'), 'cannot be written'],
    ] as const) {
      const refused = await run(...args, '--yes', '--receipt', path)
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toContain(`${path} ${why}`)
      expect(refused.stderr).toContain('(InvalidArgument)')
    }
    expect(await readFile(beside('earlier'), 'utf8')).toBe('an earlier receipt')
    expect((await run('cat', 's3://photos/dog', '--dir', dir)).stdout).toBe('bytes')
  })

  it('leaves no file if nothing was erased', async () => {
    await erasing()
    const again = ['erase', 's3://photos/dog', '--all-versions', '--yes', '--receipt', beside('none'), '--dir', dir]
    expect((await run(...again)).stderr).toContain('Nothing was erased')
    await expect(readFile(beside('none'))).rejects.toThrow('ENOENT')
    expect((await run(...again.with(1, 's3://nowhere/dog'))).stderr).toContain('NoSuchBucket')
    await expect(readFile(beside('none'))).rejects.toThrow('ENOENT')
  })

  it('says that the bytes are erased if the receipt cannot be written, and how to make it again', async () => {
    vi.spyOn(ReservedFile.prototype, 'write').mockRejectedValueOnce(new Error('no space'))
    const failed = await run(...(await erasing()), '--yes', '--receipt', beside('receipt'))
    expect(failed.status).toBe(1)
    const [, again = ''] =
      /The bytes are erased.* varve (prove --erasure \d+ --dir \S+) \(ReceiptFailed\)/.exec(failed.stderr) ?? []
    const made = await run(...again.split(' '), '--out', beside('receipt'))
    expect(made.stdout).toContain('The erasure of 1 versions is proven by')
  })

  it('can be made later, by the position of the request', async () => {
    const erased = await run(...(await erasing()), '--yes', '--json')
    const result = JSON.parse(erased.stdout.trim().split('\n').at(-1) ?? '') as { requests: readonly number[] }
    const made = await run('prove', '--erasure', String(result.requests[0]), '--out', beside('receipt'), '--dir', dir)
    expect(made.stdout).toContain('The erasure of 1 versions is proven by')
    const checked = await run('check-proof', beside('receipt'), '--key', await key(), '--json')
    expect(JSON.parse(checked.stdout)).toMatchObject({ kind: 'checked', versions: [{ key: 'dog' }] })
    expect((await run('prove', '--erasure', '1', '--dir', dir)).stderr).toContain('InvalidArgument')
  })
})

describe('varve log-key', () => {
  it('makes another key and another name', async () => {
    const before = await key()
    expect(await key()).toBe(before)
    const renewed = await run('log-key', '--renew', '--origin', 'example.com/log', '--dir', dir)
    expect(renewed.stdout).toMatch(/^example\.com\/log\+/)
    expect(await key()).toBe(renewed.stdout.trim())
    expect((await run('log-key', '--origin', 'x', '--dir', dir)).status).toBe(2)
    expect((await run('log-key', '--renew', '--origin', 'a b', '--dir', dir)).stderr).toContain('InvalidArgument')
    expect(JSON.parse((await run('log-key', '--json', '--dir', dir)).stdout)).toMatchObject({
      kind: 'log-key',
      origin: 'example.com/log',
    })
  })
})
