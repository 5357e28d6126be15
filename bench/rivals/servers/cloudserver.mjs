/** Scality's cloudserver from a checkout, `$CLOUDSERVER`: its front and its two daemons, with ports that are free here. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const [directory, port] = process.argv.slice(2)
const home = process.env.CLOUDSERVER
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address()
      server.close(() => resolve(free))
    })
  })

const at = async () => ({ host: '127.0.0.1', port: await freePort() })
const [data, metadata, metrics] = [await at(), await at(), await at()]
const config = {
  ...JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')),
  port: Number(port),
  listenOn: [`127.0.0.1:${port}`],
  metricsListenOn: [`127.0.0.1:${metrics.port}`],
  metricsPort: metrics.port,
  dataClient: data,
  dataDaemon: { ...data, bindAddress: data.host },
  metadataClient: metadata,
  metadataDaemon: { ...metadata, bindAddress: metadata.host },
  recordLog: { enabled: false },
  log: { logLevel: 'error', dumpLevel: 'fatal' },
}
const paths = { S3DATAPATH: join(directory, 'data'), S3METADATAPATH: join(directory, 'metadata') }
for (const path of Object.values(paths)) mkdirSync(path)
const file = join(directory, 'config.json')
writeFileSync(file, JSON.stringify(config))

const env = {
  ...process.env,
  ...paths,
  NODE_ENV: 'production',
  S3BACKEND: 'file',
  S3DATA: 'file',
  S3METADATA: 'file',
  S3_CONFIG_FILE: file,
  S3_LOCATION_FILE: join(home, 'locationConfig.json'),
  REMOTE_MANAGEMENT_DISABLE: '1',
}
const parts = ['mdserver.js', 'dataserver.js', 'index.js'].map((part) =>
  spawn(process.execPath, [part], { cwd: home, env, stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1)),
)
// None of them outlives the others.
process.on('exit', () => {
  for (const part of parts) part.kill()
})
