/** "The meaning of public", as S3 documents it of policies of buckets. */

import { bitsOf, listOf } from './conditions.ts'
import type { PolicyDocument, StatementDocument } from './world.ts'

const namesSomebody =
  /^(?:aws:(?:principal(?:arn|account|orgid|orgpaths)|source(?:arn|vpc|vpce|owner|account)|userid)|s3:dataaccesspoint(?:arn|account))$/i
const equals = /^(?:ForAnyValue:)?(?:StringEquals|StringEqualsIgnoreCase|StringLike|ArnEquals|ArnLike)$/
const inside = /^(?:ForAnyValue:)?IpAddress$/

export function isPublic({ Statement }: PolicyDocument): boolean {
  const open = Statement.filter((statement) => isOpen(statement))
  const networks = open.map(narrowNetworks)
  return networks.includes(undefined) || !areFew(networks.flatMap((own) => own ?? []))
}

function isOpen(statement: StatementDocument): boolean {
  const { Effect, Principal = {} } = statement
  if (Effect !== 'Allow') return false
  const everybody = Principal === '*' || listOf(Principal['AWS'] ?? []).includes('*')
  return everybody && !lines(statement, equals, namesSomebody).some((values) => values.every(isFixed))
}

const isFixed = (value: string): boolean => !/[*?]|\$\{/.test(value) && value.toLowerCase() !== 'anonymous'

const lines = ({ Condition = {} }: StatementDocument, operator: RegExp, key: RegExp): readonly (readonly string[])[] =>
  Object.entries(Condition)
    .filter(([name]) => operator.test(name))
    .flatMap(([, keys]) => Object.entries(keys).filter(([name]) => key.test(name)))
    .map(([, values]) => listOf<string | number | boolean>(values).map(String))

const narrowNetworks = (statement: StatementDocument): readonly string[] | undefined =>
  lines(statement, inside, /^aws:sourceip$/i).find(areFew)

const ownNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].map(prefixOf)

/** The bits that all addresses of a network have. */
function prefixOf(network: string): string {
  const [address = '', length] = network.split('/')
  const bits = bitsOf(address)
  return `${bits.length === 32 ? '4' : '6'}${length === undefined ? bits : bits.slice(0, Number(length))}`
}

/** Together no more than a /8, or a /32 of IPv6, private networks apart. */
function areFew(networks: readonly string[]): boolean {
  const prefixes = networks.map(prefixOf).filter((prefix) => !ownNetworks.some((own) => prefix.startsWith(own)))
  const apart = prefixes.filter(
    (prefix, at) =>
      !prefixes.some((other, index) => prefix.startsWith(other) && (prefix !== other || index < at) && index !== at),
  )
  const share = (family: string) =>
    apart.filter((prefix) => prefix.startsWith(family)).reduce((sum, prefix) => sum + 2 ** (1 - prefix.length), 0)
  return share('4') <= 2 ** -8 && share('6') <= 2 ** -32
}
