/** The blocks of docs/testing.md that are for a test runner, and the ends of the pages that lead from other servers: run as they are. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { blocksOf } from './blocks.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
/** Node finds the dependencies of what lies here, and no tool reads it. */
const place = join(root, 'node_modules/.cache')
const sdk = "import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'\n"

/** The blocks of a page that begin so, joined. */
function codeOf(page: string, ...beginnings: readonly string[]): string {
  const blocks = blocksOf(page).filter(({ language }) => language === 'js')
  const found = beginnings.map((start) => blocks.find(({ text }) => text.startsWith(start))?.text ?? '')
  expect(found).not.toContain('')
  const lines = found.join('\n').split('\n')
  const isImport = (line: string) => line.startsWith('import ')
  return [...lines.filter(isImport), ...lines.filter((line) => !isImport(line))].join('\n')
}

const put = "await client.send(new PutObjectCommand({ Bucket: 'photos', Key: 'a', Body: 'b' }))\n"
const shown = "console.log((await s3.store.objects.head('photos', 'a')).size)\nawait s3.stop()\n"

/** What a reader has after the block, or instead of its `// …`. */
const pages: readonly {
  readonly from: string
  readonly starts: readonly string[]
  readonly rest: string
  readonly middle?: string
}[] = [
  { from: 'localstack', starts: ['// after'], rest: `${put}client.destroy()\n${shown}` },
  { from: 'miniflare', starts: ['// after'], rest: '', middle: `${put}client.destroy()\nconsole.log(1)\n` },
  {
    from: 's3rver',
    starts: ['// after'],
    rest: '',
    middle: "await s3.store.objects.put('photos', 'a', 'b')\nconsole.log(1)\n",
  },
  {
    from: 'minio',
    starts: ['// after', 'import { Client }'],
    rest: `await client.putObject('photos', 'a', 'b')\nawait inside.statObject('photos', 'a')\n${shown}`,
  },
]

describe('the test kit', { timeout: 300_000 }, () => {
  let folder: string
  beforeAll(async () => {
    await mkdir(place, { recursive: true })
    folder = await mkdtemp(join(place, 'varve-test-kit-'))
    const packing = (await import(join(root, 'scripts/pack.mjs'))) as {
      stageModules(name: string, folder: string): Promise<void>
    }
    await packing.stageModules('varve', folder)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(pages)('takes the place of $from as the page shows', async ({ from, starts, rest, middle = '' }) => {
    const port = String(await freePort())
    const code = codeOf(`docs/testing-from-${from}.md`, ...starts)
      .replace(/port: \d{4}/, `port: ${port}`)
      .replace('// …\n', middle)
    const program = join(folder, `${from}.mjs`)
    await writeFile(program, `${sdk}${code}\n${rest}`)
    // The AWS SDK warns of older versions of Node.
    expect(await run(process.execPath, [program])).toMatchObject({ stdout: '1\n' })
  })

  it.each([
    ['a fixture', 'import { test as base }', ''],
    [
      'hooks',
      'let s3, client',
      "test('has a bucket', async () => {\n  await client.send(new PutObjectCommand({ Bucket: 'photos', Key: 'a', Body: 'b' }))\n})\n",
    ],
  ])('is used by a test runner with %s', async (_name, start, rest) => {
    const imports = start.startsWith('let') ? `${sdk}import { startS3 } from 'varve/testing'\n` : sdk
    const project = await mkdtemp(join(tmpdir(), 'varve-test-kit-'))
    await symlink(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
    await writeFile(
      join(project, 'vitest.config.mjs'),
      'export default { test: { globals: true, testTimeout: 60_000, hookTimeout: 60_000 } }\n',
    )
    await writeFile(join(project, 'page.test.js'), `${imports}${codeOf('docs/testing.md', start)}\n${rest}`)
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^VITEST|^NODE_OPTIONS/.test(key)))
    const args = [vitest, 'run', '--root', project]
    const { stdout } = await run(process.execPath, args, { cwd: project, env: { ...env, NO_COLOR: '1' } })
    expect(stdout).toMatch(/Tests.* 1 passed/)
    await rm(project, { recursive: true })
  })
})
