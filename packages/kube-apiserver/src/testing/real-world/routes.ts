import type { JsonObject } from '@pintle/machinery/json';
import {
  ageColumn,
  atomic,
  choice,
  conditions,
  type Definition,
  DNS_LABEL,
  DURATION,
  definition,
  fields,
  HOST_NAME,
  integer,
  keyed,
  labelSelector,
  list,
  mapOf,
  rules,
  text,
  version,
} from './schema-parts.ts';

/** Gateways and routes, similar to the Gateway API: long lists, many rules, many defaults. */
const GROUP = 'gateways.real-world.dev';

const port = (): JsonObject => integer({ minimum: 1, maximum: 65_535 });
const hostName = (): JsonObject => text({ minLength: 1, maxLength: 253, pattern: HOST_NAME });
const label = (): JsonObject => text({ minLength: 1, maxLength: 63, pattern: DNS_LABEL });

const listener = (): JsonObject =>
  fields(
    {
      name: text({ minLength: 1, maxLength: 253, pattern: DNS_LABEL }),
      hostname: hostName(),
      port: port(),
      protocol: text({ minLength: 1, maxLength: 255 }),
      tls: fields(
        {
          mode: { ...choice('Terminate', 'Passthrough'), default: 'Terminate' },
          certificateRefs: atomic(
            fields(
              {
                group: text({ default: '', maxLength: 253 }),
                kind: text({ default: 'Secret', maxLength: 63 }),
                name: text(),
              },
              { required: ['name'] },
            ),
            { maxItems: 64 },
          ),
          options: mapOf(text({ maxLength: 4096 }), { maxProperties: 16 }),
        },
        rules([
          "self.mode == 'Terminate' ? size(self.certificateRefs) > 0 || size(self.options) > 0 : true",
          'certificateRefs or options must be specified when mode is Terminate',
        ]),
      ),
      allowedRoutes: fields(
        {
          namespaces: fields(
            { from: { ...choice('All', 'Selector', 'Same'), default: 'Same' }, selector: labelSelector() },
            { default: { from: 'Same' } },
          ),
          kinds: atomic(fields({ group: text(), kind: text() }, { required: ['kind'] }), { maxItems: 8 }),
        },
        { default: { namespaces: { from: 'Same' } } },
      ),
    },
    { required: ['name', 'port', 'protocol'] },
  );

const gatewaySpec = (): JsonObject =>
  fields(
    {
      gatewayClassName: text({ minLength: 1, maxLength: 253 }),
      listeners: keyed(['name'], listener(), {
        minItems: 1,
        maxItems: 64,
        ...rules(
          [
            "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
            'tls must not be specified for protocols HTTP, TCP and UDP',
          ],
          [
            "self.all(l, l.protocol in ['TCP', 'UDP'] ? (!has(l.hostname) || l.hostname == '') : true)",
            'hostname must not be specified for protocols TCP and UDP',
          ],
          [
            'self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))',
            'port, protocol and hostname together must be unique among listeners',
          ],
        ),
      }),
      addresses: atomic(
        fields(
          { type: text({ default: 'IPAddress', maxLength: 253 }), value: text({ maxLength: 253 }) },
          rules(["self.type != 'IPAddress' || !has(self.value) || isIP(self.value)", 'not an IP address']),
        ),
        { maxItems: 16 },
      ),
    },
    { required: ['gatewayClassName', 'listeners'] },
  );

const header = (): JsonObject =>
  fields(
    {
      type: { ...choice('Exact', 'RegularExpression'), default: 'Exact' },
      name: text({ minLength: 1, maxLength: 256, pattern: "^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$" }),
      value: text({ minLength: 1, maxLength: 4096 }),
    },
    { required: ['name', 'value'] },
  );

const pathMatch = (): JsonObject =>
  fields(
    {
      type: { ...choice('Exact', 'PathPrefix', 'RegularExpression'), default: 'PathPrefix' },
      value: text({ maxLength: 1024, default: '/' }),
    },
    {
      default: { type: 'PathPrefix', value: '/' },
      ...rules(
        [
          "(self.type in ['Exact', 'PathPrefix']) ? self.value.startsWith('/') : true",
          'value must be an absolute path',
        ],
        ["(self.type in ['Exact', 'PathPrefix']) ? !self.value.contains('//') : true", "must not contain '//'"],
      ),
    },
  );

const backend = (): JsonObject =>
  fields(
    {
      group: text({ default: '', maxLength: 253 }),
      kind: text({ default: 'Service', maxLength: 63 }),
      name: text({ minLength: 1, maxLength: 253 }),
      namespace: label(),
      port: port(),
      weight: integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
    },
    {
      required: ['name'],
      ...rules([
        "(size(self.group) == 0 && self.kind == 'Service') ? has(self.port) : true",
        'Must have port for Service reference',
      ]),
    },
  );

const filter = (): JsonObject => {
  const changes = (): JsonObject =>
    fields({
      set: keyed(['name'], header(), { maxItems: 16 }),
      add: keyed(['name'], header(), { maxItems: 16 }),
      remove: list(text(), { maxItems: 16, 'x-kubernetes-list-type': 'set' }),
    });
  return fields(
    {
      type: choice('RequestHeaderModifier', 'ResponseHeaderModifier', 'RequestRedirect', 'RequestMirror'),
      requestHeaderModifier: changes(),
      responseHeaderModifier: changes(),
      requestRedirect: fields({
        scheme: choice('http', 'https'),
        hostname: hostName(),
        port: port(),
        statusCode: { type: 'integer', default: 302, enum: [301, 302] },
      }),
      requestMirror: fields({ backendRef: backend() }, { required: ['backendRef'] }),
    },
    {
      required: ['type'],
      ...rules(
        ...(['requestHeaderModifier', 'responseHeaderModifier', 'requestRedirect', 'requestMirror'] as const).flatMap(
          (name): [string, string][] => {
            const type = name.charAt(0).toUpperCase() + name.slice(1);
            return [
              [`!(has(self.${name}) && self.type != '${type}')`, `${name} must be nil if the type is not ${type}`],
              [`!(!has(self.${name}) && self.type == '${type}')`, `${name} must be specified for ${type}`],
            ];
          },
        ),
      ),
    },
  );
};

const routeRule = (): JsonObject =>
  fields(
    {
      name: label(),
      matches: list(
        fields({
          path: pathMatch(),
          headers: keyed(['name'], header(), { maxItems: 16 }),
          queryParams: keyed(['name'], header(), { maxItems: 16 }),
          method: choice('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'),
        }),
        { maxItems: 8, default: [{ path: { type: 'PathPrefix', value: '/' } }] },
      ),
      filters: list(filter(), {
        maxItems: 16,
        ...rules(
          [
            "self.filter(f, f.type == 'RequestHeaderModifier').size() <= 1",
            'RequestHeaderModifier filter cannot be repeated',
          ],
          ["self.filter(f, f.type == 'RequestRedirect').size() <= 1", 'RequestRedirect filter cannot be repeated'],
        ),
      }),
      backendRefs: list(backend(), { maxItems: 16 }),
      timeouts: fields(
        {
          request: text({ pattern: DURATION, maxLength: 32 }),
          backendRequest: text({ pattern: DURATION, maxLength: 32 }),
        },
        rules([
          "!(has(self.request) && has(self.backendRequest) && duration(self.request) != duration('0s') && duration(self.backendRequest) > duration(self.request))",
          'backendRequest timeout cannot be longer than request timeout',
        ]),
      ),
    },
    rules([
      '(has(self.backendRefs) && size(self.backendRefs) > 0) ? (!has(self.filters) || self.filters.all(f, !has(f.requestRedirect))) : true',
      'RequestRedirect filter must not be used together with backendRefs',
    ]),
  );

const routeSpec = (): JsonObject =>
  fields({
    parentRefs: list(
      fields(
        {
          group: text({ default: GROUP, maxLength: 253 }),
          kind: text({ default: 'Gateway', maxLength: 63 }),
          namespace: label(),
          name: text({ minLength: 1, maxLength: 253 }),
          sectionName: text({ maxLength: 253 }),
          port: port(),
        },
        { required: ['name'] },
      ),
      { maxItems: 32 },
    ),
    hostnames: list(hostName(), { maxItems: 16 }),
    rules: list(routeRule(), {
      minItems: 1,
      maxItems: 16,
      default: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }] }],
    }),
  });

const routeStatus = (): JsonObject =>
  fields({
    parents: atomic(
      fields(
        { parentRef: fields({ name: text() }), controllerName: text(), conditions: conditions() },
        { required: ['parentRef', 'controllerName'] },
      ),
      { maxItems: 32 },
    ),
  });

const gatewayStatus = (): JsonObject =>
  fields(
    {
      conditions: conditions(),
      listeners: keyed(
        ['name'],
        fields(
          { name: text(), attachedRoutes: integer(), conditions: conditions() },
          { required: ['name', 'attachedRoutes', 'conditions'] },
        ),
        { maxItems: 64 },
      ),
    },
    {
      default: {
        conditions: [
          {
            type: 'Accepted',
            status: 'Unknown',
            reason: 'Pending',
            message: 'Waiting for controller',
            lastTransitionTime: '1970-01-01T00:00:00Z',
          },
        ],
      },
    },
  );

const programmed: JsonObject = {
  name: 'Programmed',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Programmed")].status',
};

export const gateways: Definition = definition(GROUP, { kind: 'Gateway', plural: 'gateways', shortNames: ['gtw'] }, [
  ...['v1', 'v1beta1'].map((name) =>
    version({
      name,
      storage: name === 'v1',
      spec: gatewaySpec(),
      status: gatewayStatus(),
      columns: [{ name: 'Class', type: 'string', jsonPath: '.spec.gatewayClassName' }, programmed, ageColumn],
    }),
  ),
]);

export const routes: Definition = definition(GROUP, { kind: 'HTTPRoute', plural: 'httproutes' }, [
  ...['v1', 'v1beta1'].map((name) =>
    version({
      name,
      storage: name === 'v1',
      spec: routeSpec(),
      status: routeStatus(),
      columns: [{ name: 'Hostnames', type: 'string', jsonPath: '.spec.hostnames' }, ageColumn],
    }),
  ),
]);

export const gateway = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Gateway',
  metadata: { name: 'edge' },
  spec: {
    gatewayClassName: 'pintle',
    listeners: [
      { name: 'http', port: 80, protocol: 'HTTP', hostname: '*.example.com' },
      { name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'web-tls' }] } },
    ],
    addresses: [{ value: '192.0.2.7' }],
  },
};

export const route = {
  apiVersion: `${GROUP}/v1`,
  kind: 'HTTPRoute',
  metadata: { name: 'shop' },
  spec: {
    parentRefs: [{ name: 'edge', sectionName: 'https' }],
    hostnames: ['shop.example.com'],
    rules: [
      {
        matches: [{ path: { value: '/cart' }, headers: [{ name: 'version', value: '2' }] }],
        filters: [
          { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-cart', value: 'yes' }] } },
        ],
        backendRefs: [
          { name: 'cart', port: 8080, weight: 90 },
          { name: 'cart-next', port: 8080 },
        ],
        timeouts: { request: '10s', backendRequest: '2s' },
      },
      { filters: [{ type: 'RequestRedirect', requestRedirect: { scheme: 'https' } }] },
    ],
  },
};
