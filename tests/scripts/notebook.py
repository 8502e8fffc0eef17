#!/usr/bin/env python
# coding: utf-8

# # Fuel efficiency
# Regression, as exported with `jupyter nbconvert --to script`.

# In[1]:


# get_ipython().system('pip install -q seaborn')


# In[2]:


import numpy as np
import tensorflow as tf

from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(0)
print(int(tf.__version__.split('.')[0]) >= 2)


# ## The data

# In[3]:


n = 400
weight = np.random.uniform(1500, 4500, n)
power = np.random.uniform(50, 200, n)
mpg = 60 - weight / 120 - power / 12 + np.random.normal(0, 1, n)
features = np.stack([weight, power], axis=1).astype('float32')
features[:3]


# In[4]:


train_features, test_features = features[:320], features[320:]
train_labels, test_labels = mpg[:320], mpg[320:]
train_features.shape, test_features.shape


# ## A linear model, then a deep one

# In[5]:


normalizer = layers.Normalization(axis=-1)
normalizer.adapt(np.array(train_features))
print(np.round(normalizer.mean.numpy()))


# In[6]:


linear_model = keras.Sequential([normalizer, layers.Dense(units=1)])
linear_model.compile(optimizer=keras.optimizers.Adam(learning_rate=0.1), loss='mean_absolute_error')
history = linear_model.fit(train_features, train_labels, epochs=3, verbose=0, validation_split=0.2)


# In[7]:


test_results = {}
test_results['linear_model'] = linear_model.evaluate(test_features, test_labels, verbose=0)


# In[8]:


def build_and_compile_model(norm):
    model = keras.Sequential([
        norm,
        layers.Dense(64, activation='relu'),
        layers.Dense(64, activation='relu'),
        layers.Dense(1)
    ])
    model.compile(loss='mean_absolute_error', optimizer=keras.optimizers.Adam(0.001))
    return model


dnn_model = build_and_compile_model(normalizer)
dnn_model.summary()


# In[9]:


history = dnn_model.fit(train_features, train_labels, validation_split=0.2, verbose=0, epochs=4)
test_results['dnn_model'] = dnn_model.evaluate(test_features, test_labels, verbose=0)


# In[10]:


for name, error in test_results.items():
    print(f'{name}: {error:.1f}')
