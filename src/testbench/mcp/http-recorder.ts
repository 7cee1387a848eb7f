/**
 * Follows the exchanges of a run that carry MCP: streamable HTTP (an answer as JSON or as a stream of events,
 * a stream for messages that the server starts) and the older pair of a stream and an address to post to. The
 * bytes stay with the exchange; this only adds their meaning.
 */

import { EventStream } from '../../base/event-stream.ts'
import { headerOf, textOrNull } from '../../base/index.ts'
import type { HeaderList } from '../../boundaries/session.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { CallFollower } from '../records/call-follower.ts'
import { decodedBody } from '../records/decoded-body.ts'
import { Conversation } from './conversation.ts'
import { connectionOf, type McpHttpRequest } from './http-request.ts'
import { messagesOf } from './json-rpc.ts'

/** A larger answer in one piece is not parsed. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_CONVERSATIONS = 1000

export type McpFollowers = (id: number, url: string, request: McpHttpRequest) => CallFollower

export function createMcpFollowers(recorder: TapeRecorder, scrubber: Scrubber): McpFollowers {
  const conversations = new Map<string, Conversation>()
  /** Conversations that began with a stream: a greeting over them begins no other. */
  const begun = new WeakSet<Conversation>()

  const keep = (connection: string, conversation: Conversation): void => {
    conversations.delete(connection)
    conversations.set(connection, conversation)
    const [oldest] = conversations.keys()
    if (conversations.size > MAX_CONVERSATIONS && oldest !== undefined) conversations.delete(oldest)
  }

  const conversationOf = (url: string, { connection, messages }: McpHttpRequest): Conversation | null => {
    const greets = messages.some((message) => message.type === 'request' && message.method === 'initialize')
    const known = conversations.get(connection)
    if (known !== undefined && (!greets || begun.has(known))) return known
    // A stream without an owner may belong to any client: its content decides.
    if (messages.length === 0) return null
    const conversation = new Conversation(recorder, scrubber, new URL(url).host)
    keep(connection, conversation)
    return conversation
  }

  return (id, url, request) => {
    let conversation = conversationOf(url, request)
    let events: EventStream | null = null
    let status: number | null = null
    let nowMs = 0
    let fresh: Uint8Array[] = []
    const whole: Uint8Array[] = []
    let wholeBytes = 0

    const hear = (text: string): void => {
      for (const message of messagesOf(text) ?? []) conversation?.received(message, id, nowMs)
    }

    const hearEvents = (bytes: Uint8Array): void => {
      for (const { event, data } of events?.push(bytes) ?? []) {
        if (event === 'endpoint' && conversation === null && URL.canParse(data, url)) {
          conversation = new Conversation(recorder, scrubber, new URL(url).host)
          begun.add(conversation)
          keep(connectionOf(new URL(data, url).href, []), conversation)
        }
        if (event === 'message') hear(data)
      }
    }

    return {
      request: undefined,
      started(_seq, atMs) {
        for (const [n, message] of request.messages.entries()) conversation?.sent(message, id, n, atMs)
      },
      answered(code, headers) {
        status = code
        learnSession(headers)
        const isStream = /^\s*text\/event-stream\b/i.test(headerOf(headers, 'content-type') ?? '')
        if (isStream && (headerOf(headers, 'content-encoding') ?? 'identity') === 'identity')
          events = new EventStream()
      },
      bytes(bytes) {
        if (events !== null) fresh.push(bytes)
        else {
          wholeBytes += bytes.byteLength
          if (wholeBytes <= MAX_ANSWER_BYTES) whole.push(bytes)
        }
      },
      written(atMs) {
        nowMs = atMs
        const parts = fresh
        fresh = []
        for (const bytes of parts) hearEvents(bytes)
      },
      ended(ending, encoding) {
        if (whole.length > 0 && wholeBytes <= MAX_ANSWER_BYTES) {
          const body = decodedBody(Buffer.concat(whole), encoding)
          const text = textOrNull(body) ?? ''
          if (/^\s*[[{]/.test(text)) hear(text)
          else {
            events = new EventStream()
            hearEvents(body)
          }
        }
        if (ending.type === 'error') conversation?.lost('the connection failed', nowMs, id)
        else if (status !== null && status >= 400) conversation?.lost(`HTTP ${status}`, nowMs, id)
      },
    }

    function learnSession(headers: HeaderList): void {
      const session = headerOf(headers, 'mcp-session-id')
      if (session !== undefined && conversation !== null) keep(`session ${session}`, conversation)
    }
  }
}
