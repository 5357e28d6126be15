/** `varve bench`, as people run it: from the built command, with real processes. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { binary, jsonLines, scratchPaths, start, varve } from './run-varve.ts'

const next = scratchPaths()
const few = ['--layout', 'segments+tiered', '--only', 'http-get-4k']

async function smoke(): Promise<{ dir: string; out: string; stdout: string; stderr: string }> {
  const [dir, out] = [next(), next()]
  const { status, stdout, stderr } = await varve(['bench', '--smoke', ...few, '--dir', dir, '--out', out])
  expect(status, stderr).toBe(0)
  return { dir, out, stdout, stderr }
}

// A process for each contender, and each starts Node: on a busy machine that adds up.
vi.setConfig({ testTimeout: 180_000 })

if (process.platform !== 'linux') console.log('Skipped: what a rival uses is told by /proc, which is not here.')
if (process.platform === 'win32') console.log('Skipped: Windows has no SIGINT for one process.')

describe('varve bench', () => {
  it('prints tables, leaves a page and JSON, and nothing else; two of its files can be compared', async () => {
    const { dir, out, stdout, stderr } = await smoke()
    expect(stderr).toContain(`will be written to ${dir}`)
    expect(stdout).toMatch(/http-get-4k: HTTP GET 4 KiB\n.*of the floor/)
    expect(stdout).toContain('(node-files)')
    const files = await readdir(out)
    expect(files.map((file) => file.replace(/^.*\./, '')).sort()).toEqual(['html', 'json'])
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' })

    const json = join(out, files.find((file) => file.endsWith('.json')) ?? '')
    const { schema, options, workloads } = JSON.parse(await readFile(json, 'utf8')) as Record<string, unknown[]>
    expect({ schema, options }).toMatchObject({ schema: 'varve-bench/1', options: { rounds: 1, seed: 1, smoke: true } })
    expect(workloads).toHaveLength(1)

    const compared = await varve(['bench', '--compare', json, json])
    expect(compared).toMatchObject({ status: 0, stderr: '' })
    expect(compared.stdout).toMatch(/http-get-4k, segments\+tiered .* 1\.00/)
    const asJson = await varve(['bench', '--json', '--compare', json, json])
    expect(jsonLines(asJson.stdout)).toMatchObject([{ kind: 'comparison', rows: { length: 3 } }])
  })

  it('runs a workload of one’s own, from a file or from flags, for programs too', async () => {
    const file = next()
    await writeFile(
      file,
      JSON.stringify({ name: 'mine', mix: { put: 1, get: 3 }, sizes: '2KiB', keys: 5, operations: 10, seed: 8 }),
    )
    const base = ['bench', '--smoke', '--json', '--layout', 'memory', '--no-floors']
    const fromFile = await varve([...base, '--out', next(), '--workload', file])
    expect(jsonLines(fromFile.stdout)).toMatchObject([
      { options: { seed: 8 }, workloads: [{ workload: { name: 'mine' } }] },
    ])
    const flags = [
      '--mix',
      'get=3,put=1',
      '--sizes',
      '2KiB=1,100=2',
      '--keys',
      '9',
      '--seconds',
      '0.1',
      '--http',
      '--seed',
      '4',
    ]
    const fromFlags = await varve([...base, '--out', next(), ...flags])
    expect(jsonLines(fromFlags.stdout)).toMatchObject([
      { options: { seed: 4 }, workloads: [{ workload: { through: 'http', seconds: 0.1, sizes: { length: 2 } } }] },
    ])
  })

  it.skipIf(process.platform !== 'linux')('measures the store of somebody else beside ours', async () => {
    const [file, out] = [next(), next()]
    const serve = [process.execPath, binary, 'serve', '{dir}/store', '--port', '{port}', '--dialect', 'aws']
    const env = {
      VARVE_ACCESS_KEY_ID: '{accessKeyId}',
      VARVE_SECRET_ACCESS_KEY: '{secretAccessKey}',
      VARVE_REGION: '{region}',
    }
    const rivals = [
      { name: 'itself', about: 'Varve once more', command: serve, env, lacks: { 'http-multipart': 'left out' } },
      { name: 'elsewhere', about: 'not here', command: ['no-such-program'] },
    ]
    await writeFile(file, JSON.stringify(rivals))
    const only = 'http-put-4k,http-multipart'
    const args = ['bench', '--smoke', '--layout', 'level+files', '--no-floors', '--only', only, '--rivals', file]
    const { status, stdout, stderr } = await varve([...args, '--out', out])
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('elsewhere takes no part: there is no no-such-program here') as string,
    })
    expect(stdout).toMatch(/fastest layout +÷ itself\n/)
    expect(stdout).toMatch(/http-put-4k +level\+files +\d/)
    expect(stdout).not.toMatch(/http-multipart +level\+files/)
  })

  it('adds a run to a ledger, keeps what is there, and draws it', async () => {
    const [ledger, out] = [next(), next()]
    const small = ['--only', 'get-4k', '--layout', 'memory', '--no-floors', '--scale', '0.002', '--rounds', '1']
    const args = ['bench', ...small, '--out', out, '--ledger', ledger, '--label', 'mine', '--commit', 'cb09302']
    const { status, stdout, stderr } = await varve(args)
    expect({ status, stderr }).toMatchObject({ status: 0 })
    const [name = '', ...others] = await readdir(ledger)
    expect(others).toEqual([])
    expect(name).toMatch(/^\d+\.\d+\.\d+.*-mine\.json$/)
    expect(stdout).toContain(join(ledger, name))
    const report = (await readdir(out)).find((file) => file.endsWith('.html')) ?? ''
    expect(await readFile(join(out, report), 'utf8')).toContain('Processor time on mine')

    const again = await varve([...args, '--json'])
    expect(again.status).toBe(1)
    expect(JSON.parse(again.stderr)).toMatchObject({ error: { code: 'LedgerEntryExists' } })
    const plot = await varve(['bench', '--plot', ledger, '--out', out])
    expect(plot).toMatchObject({ status: 0, stdout: `${join(out, 'ledger.html')}\n` })
    await writeFile(join(ledger, name), '{}')
    const broken = await varve(['bench', '--plot', ledger, '--out', out])
    expect(broken).toMatchObject({ status: 1, stderr: expect.stringContaining(join(ledger, name)) as string })
    expect(broken.stderr).toContain('(BrokenLedgerEntry)')
  })

  it('refuses a directory with something in it, an unknown layout, and what is no result', async () => {
    const [dir, file] = [next(), next()]
    await mkdir(dir)
    await writeFile(join(dir, 'mine'), 'x')
    await writeFile(file, '{}')
    const full = await varve(['bench', '--smoke', '--dir', dir])
    expect(full).toMatchObject({ status: 2, stderr: expect.stringContaining('is not empty') as string })
    expect(await readdir(dir)).toEqual(['mine'])
    const unknown = await varve(['bench', '--smoke', '--layout', 'tape', '--json'])
    expect(unknown.status).toBe(2)
    expect(JSON.parse(unknown.stderr)).toMatchObject({
      error: { code: 'UsageError', message: expect.stringContaining('no layout tape: level') as string },
    })
    const wrong = await varve(['bench', '--compare', file, file])
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('does not hold results') as string })
  })

  it.skipIf(process.platform === 'win32')('stops when interrupted, and takes away what it made', async () => {
    const [dir, out] = [next(), next()]
    const running = start([
      'bench',
      '--layout',
      'level+files',
      '--only',
      'put-4k-1',
      '--rounds',
      '50',
      '--dir',
      dir,
      '--out',
      out,
    ])
    await expect
      .poll(async () => (await readdir(dir, { recursive: true }).catch(() => [])).length, { timeout: 120_000 })
      .toBeGreaterThan(5)
    running.process.kill('SIGINT')
    expect(await running.ended).toMatchObject({ status: 130, signal: null })
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(readdir(out)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
