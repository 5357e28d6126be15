/**
 * A database that survives the loss of a machine: three servers of PostgreSQL under Patroni, one member of etcd, and HAProxy, which leads
 * connections to the primary. One member of etcd is enough to try failovers; in production there are three.
 */
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { acceptsConnections } from './postgres.mjs'
import { databaseUser as user, postgresPrograms, programOf } from './programs.mjs'

/**
 * `ttlSeconds`: a primary that does not renew its lease for so long is replaced. HAProxy notices after two failed checks, so it has ended the
 * sessions of the old primary before there is a new one.
 */
const timing = { ttlSeconds: 6, loopSeconds: 1, retrySeconds: 2, checkMs: 500, fall: 2 }

/** `route(from, to)` is the port at which one member reaches another: its own, unless tests put something in between. */
export const replicatedMembers = (plan, route) => [
  etcdMember(plan),
  ...plan.databases.map((name) => databaseMember(plan, name, route)),
  haproxyMember(plan, route),
]

function ownDirectory(...parts) {
  const path = join(...parts)
  mkdirSync(path, { recursive: true })
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid)
  return path
}

function writeOwn(path, text) {
  writeFileSync(path, text, { mode: 0o600 })
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid)
}

function etcdMember({ dir, ports }) {
  const at = `http://127.0.0.1:${ports.etcd}`
  const peers = `http://127.0.0.1:${ports['etcd-peers']}`
  const home = join(dir, 'etcd')
  const addresses = ['--listen-client-urls', at, '--advertise-client-urls', at, '--listen-peer-urls', peers]
  const members = ['--initial-advertise-peer-urls', peers, '--initial-cluster', `etcd=${peers}`]
  return {
    name: 'etcd',
    address: `127.0.0.1:${ports.etcd}`,
    user,
    command: [programOf('etcd', 'etcd-server'), '--name', 'etcd', '--data-dir', home, ...addresses, ...members],
    prepare: () => void ownDirectory(home),
    ready: async () => (await fetch(`${at}/health`)).ok,
  }
}

function databaseMember(plan, name, route) {
  const { dir, ports } = plan
  const home = join(dir, name)
  const file = join(home, 'patroni.json')
  const config = patroniConfig(plan, name, route)
  return {
    name,
    address: `127.0.0.1:${ports[name]}`,
    user,
    command: [programOf('patroni', 'patroni'), file],
    prepare() {
      ownDirectory(home)
      // JSON is YAML.
      writeOwn(file, JSON.stringify(config, undefined, 2))
    },
    ready: async () => (await fetch(`http://127.0.0.1:${ports[`${name}-rest`]}/health`)).ok,
  }
}

function patroniConfig({ dir, ports, password }, name, route) {
  const home = join(dir, name)
  const { ttlSeconds, loopSeconds, retrySeconds } = timing
  return {
    scope: 'varve',
    name,
    restapi: {
      listen: `127.0.0.1:${ports[`${name}-rest`]}`,
      connect_address: `127.0.0.1:${route('databases', `${name}-rest`)}`,
    },
    // Without this, Patroni would ask etcd for its address, and use that one.
    etcd3: { hosts: `127.0.0.1:${route(name, 'etcd')}`, use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: ttlSeconds,
        loop_wait: loopSeconds,
        retry_timeout: retrySeconds,
        // A commit is acknowledged when a standby has it too, and only that standby may become the primary.
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters },
      },
      initdb: [{ encoding: 'UTF8' }, 'no-locale', 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${ports[name]}`,
      connect_address: `127.0.0.1:${route('databases', name)}`,
      data_dir: join(home, 'data'),
      bin_dir: postgresPrograms(),
      pgpass: join(home, 'pgpass'),
      authentication: {
        superuser: { username: 'varve', password },
        replication: { username: 'replicator', password },
      },
      parameters: { unix_socket_directories: '' },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
    },
  }
}

/** They notice within seconds that the other side of a connection is gone. */
const parameters = {
  synchronous_commit: 'on',
  wal_log_hints: 'on',
  wal_sender_timeout: '3s',
  wal_receiver_timeout: '3s',
  wal_retrieve_retry_interval: '500ms',
  shared_buffers: '64MB',
  max_connections: 100,
}

function haproxyMember({ dir, ports, databases }, route) {
  const home = join(dir, 'haproxy')
  const file = join(home, 'haproxy.cfg')
  const { checkMs, fall } = timing
  const config = `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:${ports.postgres}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter ${checkMs}ms fall ${fall} rise 1 on-marked-down shutdown-sessions
${databases
  .map((name) => [name, route('haproxy', name), route('haproxy', `${name}-rest`)])
  .map(([name, port, rest]) => `  server ${name} 127.0.0.1:${port} check port ${rest}\n`)
  .join('')}`
  return {
    name: 'haproxy',
    address: `127.0.0.1:${ports.postgres}`,
    user,
    command: [programOf('haproxy', 'haproxy'), '-db', '-f', file],
    prepare() {
      ownDirectory(home)
      writeOwn(file, config)
    },
    ready: () => acceptsConnections(ports.postgres),
  }
}
