/** Runs `varve serve` in its own process, to measure its memory and processor time, and sends signed requests to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { type Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { signRequest } from 'varve/http'

const credentials = { accessKeyId: 'VARVEBENCH', secretAccessKey: 'a-secret-for-the-bench-only' }
const built = fileURLToPath(new URL('../../../packages/varve/bin/varve.js', import.meta.url))
/** Tests set it: the bundle starts in half the time. */
const command = process.env['BUNDLED_VARVE'] ?? built
/** Linux counts processor time in hundredths of a second. */
const tickMs = 10

export interface Request {
  readonly method: string
  readonly target: string
  readonly body?: Buffer
  /** SHA-256 of the body, in hexadecimal. @default unsigned payload, as clients send large bodies */
  readonly payloadHash?: string
  readonly onChunk?: (chunk: Buffer) => void
}

export class ServerProcess {
  readonly #child: ChildProcess
  readonly #address: Address
  readonly #agent: Agent | undefined

  private constructor(child: ChildProcess, address: Address, agent: Agent | undefined) {
    this.#child = child
    this.#address = address
    this.#agent = agent
  }

  /**
   * `agent` opens the connections; without one they are not kept alive. `program` is the command of another checkout.
   */
  static async start(
    directory: string,
    args: readonly string[] = [],
    agent?: Agent,
    program: string = command,
  ): Promise<ServerProcess> {
    const child = spawn(process.execPath, [program, 'serve', directory, '--port', '0', '--json', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        VARVE_ACCESS_KEY_ID: credentials.accessKeyId,
        VARVE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      },
    })
    return new ServerProcess(child, await readyAt(child), agent)
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await new Promise((resolve) => this.#child.once('close', resolve))
  }

  /** Resident memory of the server's first process, in MiB, as Linux reports it. */
  async memory(): Promise<{ readonly now: number; readonly peak: number }> {
    const status = await readFile(`/proc/${this.#pid}/status`, 'utf8')
    const mebibytes = (field: string) =>
      Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
    return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
  }

  /** Processor time of the process and of its workers, in milliseconds, as Linux reports it. */
  async processorMs(): Promise<number> {
    const children = await readFile(`/proc/${this.#pid}/task/${this.#pid}/children`, 'utf8')
    let ms = 0
    for (const pid of [this.#pid, ...children.split(' ').filter(Boolean)]) {
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
      ms += (Number(fields[11]) + Number(fields[12])) * tickMs
    }
    return ms
  }

  /** The body of a response with status 200. */
  async call(requested: Request): Promise<Buffer> {
    const chunks: Buffer[] = []
    await this.exchange({ ...requested, onChunk: (chunk) => chunks.push(chunk) })
    return Buffer.concat(chunks)
  }

  /** @throws Error for a response whose status is not 200 */
  exchange(requested: Request): Promise<{ readonly headers: NodeJS.Dict<string | string[]> }> {
    const {
      method,
      target,
      body = Buffer.alloc(0),
      payloadHash = 'UNSIGNED-PAYLOAD',
      onChunk = () => undefined,
    } = requested
    const { host, port } = this.#address
    const [rawPath = '', rawQuery = ''] = target.split('?')
    const signed = signRequest(
      { method, rawPath, rawQuery, headers: [['host', `${host}:${port}`] as const] },
      { ...credentials, region: 'eu', now: Date.now(), payloadHash },
    )
    const headers = { ...Object.fromEntries(signed.headers), 'content-length': String(body.length) }
    return new Promise((resolve, reject) => {
      const sending = request({ host, port, method, path: target, headers, agent: this.#agent }, (response) => {
        response.on('data', onChunk)
        response.on('end', () => {
          if (response.statusCode === 200) resolve({ headers: response.headers })
          else reject(new Error(`${method} ${target} answered ${response.statusCode}.`))
        })
        response.on('error', reject)
      })
      sending.on('error', reject)
      sending.end(body)
    })
  }

  get #pid(): number {
    return this.#child.pid as number
  }
}

interface Address {
  readonly host: string
  readonly port: number
}

async function readyAt(child: ChildProcess): Promise<Address> {
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })
  for await (const line of lines) {
    const found = /http:\/\/([^:/"]+):(\d+)/.exec(line)
    if (found !== null) return { host: found[1] as string, port: Number(found[2]) }
  }
  throw new Error('The server ended before it was ready.')
}
