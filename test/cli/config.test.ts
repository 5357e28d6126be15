/** `varve serve --config` and `varve config`. */
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, varve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

async function configured(text: string, name = 'varve.toml'): Promise<string> {
  const folder = next()
  await mkdir(folder)
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

describe('varve serve --config', () => {
  it('serves as the file has it, beside the file', async () => {
    const file = await configured('dir = "data"\nregion = "mars-1"\nmetrics = true\njson = true\n')
    const server = await serve(['--config', file])
    expect(jsonLines(server.stdout())).toContainEqual(
      expect.objectContaining({ kind: 'ready', region: 'mars-1', dir: join(file, '../data') }),
    )
    expect((await fetch(`${server.url}/-/metrics`)).status).toBe(200)
  })

  it('shows every mistake of the file, and makes no store', async () => {
    const file = await configured('dir = "data"\nport = "x"\nregoin = "eu"\n')
    const { status, stderr } = await varve(['serve', '--config', file])
    expect(status).toBe(1)
    expect(stderr.split('\n')).toEqual([
      `${file}:2:1: port must be a whole number from 0 to 65535, not a text`,
      `${file}:3:1: there is no field "regoin"; did you mean region?`,
      `varve: ${file} cannot be used: 2 mistakes. (InvalidArgument)`,
      '',
    ])
    await expect(stat(join(file, '../data'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('varve config check', () => {
  it('is content with a file that can be used', async () => {
    const file = await configured('{"port":9000,"grace":"5s"}', 'varve.json')
    const { status, stdout } = await varve(['config', 'check', file])
    expect([status, stdout]).toEqual([0, `${file} can be used: it sets 2 options.\n`])
  })

  it('looks at what the file names', async () => {
    const file = await configured('identities = "who.json"\ntrusted-proxy = ["10.0.0.0/99"]\ntls-key = "key.pem"\n')
    const { status, stdout } = await varve(['config', 'check', '--json'], { VARVE_CONFIG: file })
    const lines = jsonLines(stdout)
    expect(status).toBe(1)
    expect(lines.map(({ kind, line }) => [kind, line])).toEqual([
      ['problem', 1],
      ['problem', 2],
      ['problem', 3],
      ['checked', undefined],
    ])
  })

  it('looks for the replica of options that are for replicas', async () => {
    const lonely = await configured('port = 9000\nreplicate-encrypt = true\n')
    expect(await varve(['config', 'check', lonely])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('--replicate-encrypt is for replicas') as string,
    })
    const whole = await configured('replicate-encrypt = true\nreplicate = ["/backups/shop"]\n')
    expect(await varve(['config', 'check', whole])).toMatchObject({ status: 0 })
  })

  it.each([
    [['config', 'check'], 2, 'Which file?'],
    [['config', 'check', 'nowhere.toml'], 1, 'cannot be read'],
    [['config', 'check', 'varve.yaml'], 1, 'must end in .toml or .json'],
    [['config', 'show', '--port', 'x'], 2, 'from 0 to 65535'],
    [['serve', '--replicate-encrypt'], 2, '--replicate-encrypt is for replicas'],
    [['serve', '--replicate-every', '1s'], 2, 'Name one with `--replicate`'],
  ])('refuses %j', async (args, status, problem) => {
    expect(await varve(args)).toMatchObject({ status, stderr: expect.stringContaining(problem) as string })
  })
})

describe('varve config show', () => {
  it('shows where each value comes from, and no secret', async () => {
    const file = await configured('region = "mars-1"\ngrace = "5s"\n')
    const env = {
      VARVE_GRACE: '7s',
      VARVE_ACCESS_KEY_ID: 'ROOTKEY',
      VARVE_SECRET_ACCESS_KEY: 'a-secret-of-some-length',
    }
    const { stdout } = await varve(['config', 'show', '--config', file, '-p', '0'], env)
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'port = 0 # --port',
        'grace = "7s" # VARVE_GRACE',
        `region = "mars-1" # ${file}:1`,
        'host = "127.0.0.1" # default',
        '# identities is not set',
        '# VARVE_SECRET_ACCESS_KEY is set, and not shown',
      ]),
    )
    expect(stdout).not.toContain('a-secret')
  })
})
