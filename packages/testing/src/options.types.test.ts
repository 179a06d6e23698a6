import type { Secret } from '@pintle/kinds/core/v1';
import { test } from 'vitest';
import type { ControlPlaneOptions } from './options.ts';

// Mistakes that the compiler refuses stand after @ts-expect-error, in functions that nobody calls: the build checks them.

const metadata = { namespace: 'default', name: 'login' };

test('objects have the fields of their kinds, in place or as values of a type', () => {
  void ((typed: Secret) => {
    const inPlace: ControlPlaneOptions = {
      objects: [{ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'x' } }, typed, 'fixtures'],
      crds: [{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec: {} }],
    };
    // @ts-expect-error an object without metadata
    const bare: ControlPlaneOptions = { objects: [{ apiVersion: 'v1', kind: 'Secret', stringData: {} }] };
    return [inPlace, bare];
  });
});
