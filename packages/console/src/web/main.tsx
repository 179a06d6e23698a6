import './styles/app.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './state/look.ts';
import { openSession } from './state/session.ts';

applyTheme();
void openSession();
createRoot(document.getElementById('root')!).render(<App />);
