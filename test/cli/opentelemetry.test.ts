/** `varve serve --opentelemetry`: spans go to the SDK that a module registers, in every process that answers requests. */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const varve = fileURLToPath(new URL('../../packages/varve/package.json', import.meta.url))

/** Registers an SDK that appends the name of each span to a file. */
const sdk = (file: string): string => `
  import { appendFileSync } from 'node:fs'
  import { createRequire } from 'node:module'
  const load = createRequire(${JSON.stringify(varve)})
  const { BasicTracerProvider, SimpleSpanProcessor } = load('@opentelemetry/sdk-trace-base')
  const exporter = {
    export(spans, done) {
      for (const { name } of spans) appendFileSync(${JSON.stringify(file)}, JSON.stringify({ name }) + '\\n')
      done({ code: 0 })
    },
    shutdown: async () => {},
  }
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  load('@opentelemetry/api').trace.setGlobalTracerProvider(provider)
`

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('varve serve --opentelemetry with %s', (_, workers) => {
  it('reports each request', async () => {
    const [file, spans] = [`${next()}.mjs`, next()]
    await writeFile(file, sdk(spans))
    await writeFile(spans, '')
    const options = { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` }
    const server = await serve([next(), '--opentelemetry', ...workers], options)
    await (await fetch(`${server.url}/photos/cat.png`)).text()
    const names = async () => jsonLines(await readFile(spans, 'utf8')).map(({ name }) => name)
    await expect.poll(names, { timeout: 10_000 }).toContain('GET GetObject')
    expect(await names()).toContain('S3/GetObject')
  })
})
